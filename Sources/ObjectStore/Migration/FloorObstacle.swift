public import SchemaRegistry

/// A store, or a backup of one, that still needs what a history says up to a floor, or that is not
/// one of this history.
public struct FloorObstacle: Equatable, Sendable {
  /// The live objects of one type that are older than the floor.
  public struct OlderObjects: Hashable, Sendable {
    /// The type's name at the floor.
    public let type: String
    /// The oldest version that one of them has.
    public let oldestVersion: SchemaVersion
    /// How many they are.
    public let count: UInt64
  }

  /// The directory of the store.
  public let path: String
  /// The highest version that wrote to it.
  public let version: SchemaVersion
  /// The objects that need steps, by the names of their types.
  public let objects: [OlderObjects]
  /// Barriers up to the floor that have not run.
  public let barrierIDs: [String]
  /// Why the store cannot be opened with the whole history either: what it holds was written under
  /// another one, or it is the wrong directory.
  public let mismatch: SchemaError?

  /// The highest floor that the store allows as it is; nothing when the history is not its own.
  public var highestFloor: SchemaVersion? {
    guard mismatch == nil else { return nil }
    let oldest = objects.map(\.oldestVersion).min() ?? version
    return barrierIDs.isEmpty ? oldest : min(oldest, version)
  }

  /// What keeps the store at `path` from a history that was `whole` and is `squashed` to `floor`;
  /// nothing when nothing does.
  init?(
    at path: String, _ summary: StoreSummary, whole: SchemaHistory, squashed: SchemaHistory
  ) {
    // Nothing was ever written to a store without a version.
    guard let version = summary.version else { return nil }
    let floor = squashed.base.version
    let base = squashed.base.types
    var found: [TypeIdentity: OlderObjects] = [:]
    for totals in summary.statistics.types where totals.version < floor {
      // Types that the history does not have any more are left alone, whatever their version.
      guard let identity = summary.schemas[totals.version]?.type(named: totals.type)?.identity,
        squashed.knows(identity)
      else { continue }
      let known = found[identity]
      found[identity] = OlderObjects(
        type: base.first { $0.identity == identity }?.name ?? totals.type,
        oldestVersion: min(known?.oldestVersion ?? totals.version, totals.version),
        count: (known?.count ?? 0) + totals.totals.recordCount)
    }
    let barriers = whole.barriers(after: version).filter { $0.version <= floor }
    mismatch = Self.mismatch(of: summary, with: whole)
    guard !found.isEmpty || !barriers.isEmpty || mismatch != nil else { return nil }
    self.path = path
    self.version = version
    objects = found.values.sorted { $0.type < $1.type }
    barrierIDs = barriers.map(\.id)
  }

  private static func mismatch(
    of summary: StoreSummary, with history: SchemaHistory
  ) -> SchemaError? {
    let types = summary.schemas.values.flatMap(\.types)
    if !types.isEmpty, !types.contains(where: { history.knows($0.identity) }) {
      let names = Set(types.map(\.name)).sorted()
      return .unknownType(type: names.joined(separator: ", "), version: history.latestVersion)
    }
    do throws(SchemaError) {
      _ = try HistoryCheck.check(
        history, storedShapes: summary.schemas, records: [], requested: history.latestVersion,
        ledger: summary.ledger, allowingNewer: true)
      return nil
    } catch { return error }
  }
}

extension FloorObstacle: CustomStringConvertible {
  /// The store and what it needs, in one line.
  public var description: String {
    var parts = objects.map {
      "\($0.count) \($0.count == 1 ? "object" : "objects") of \($0.type), the oldest of version "
        + "\($0.oldestVersion)"
    }
    if let mismatch { parts.append("it is not a store of this history: \(mismatch)") }
    if !barrierIDs.isEmpty { parts.append("\(barrierIDs.joined(separator: ", ")) did not run") }
    return "\(path), version \(version): \(parts.joined(separator: "; "))"
  }
}
