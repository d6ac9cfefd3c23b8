public import SchemaRegistry

/// A store, or a backup of one, that still needs what a history says up to a floor, that is not one
/// of this history, or that cannot be read.
public struct FloorObstacle: Equatable, Sendable {
  /// The live objects of one type that are older than the floor.
  public struct OlderObjects: Hashable, Sendable {
    /// The type's name at the floor, or what the store still knows of it.
    public let type: String
    /// The oldest version that one of them has.
    public let oldestVersion: SchemaVersion
    /// How many they are.
    public let count: UInt64
    /// The version behind the floor that removes the type: from there on nothing needs its objects,
    /// and compactions and migrations with the whole history drop them.
    public let removedIn: SchemaVersion?
  }

  /// The directory of the store.
  public let path: String
  /// The highest version that wrote to it; nothing when none is known to have.
  public let version: SchemaVersion?
  /// The objects that need steps, by the names of their types.
  public let objects: [OlderObjects]
  /// Barriers up to the floor that have not run.
  public let barrierIDs: [String]
  /// Why the store cannot be opened with the whole history either: it is damaged, what it holds was
  /// written under another one, or it is the wrong directory.
  public let failure: StoreError?

  /// The highest floor that the store allows as it is; nothing when that cannot be told.
  public var highestFloor: SchemaVersion? {
    guard failure == nil, let version else { return nil }
    let oldest = objects.map(\.oldestVersion).min() ?? version
    return barrierIDs.isEmpty ? oldest : min(oldest, version)
  }

  /// A store that cannot be asked.
  init(at path: String, unreadable failure: StoreError) {
    self.path = path
    self.failure = failure
    version = nil
    objects = []
    barrierIDs = []
  }

  /// What keeps the store at `path` from a history that was `whole` and is `squashed` to `floor`;
  /// nothing when nothing does.
  init?(
    at path: String, _ summary: StoreSummary, whole: SchemaHistory, squashed: SchemaHistory
  ) {
    let barriers =
      summary.version.map { version in
        whole.barriers(after: version).filter { $0.version <= squashed.base.version }
      } ?? []
    objects = Self.olderObjects(of: summary, whole, squashed)
    failure = Self.mismatch(of: summary, with: whole).map { .schema($0) }
    guard !objects.isEmpty || !barriers.isEmpty || failure != nil else { return nil }
    self.path = path
    version = summary.version
    barrierIDs = barriers.map(\.id)
  }

  private static func olderObjects(
    of summary: StoreSummary, _ whole: SchemaHistory, _ squashed: SchemaHistory
  ) -> [OlderObjects] {
    let floor = squashed.base.version
    var known: [TypeIdentity: OlderObjects] = [:]
    var unknown: [OlderObjects] = []
    for totals in summary.statistics.types where totals.version < floor {
      let count = totals.totals.recordCount
      guard let identity = summary.schemas[totals.version]?.type(named: totals.type)?.identity
      else {
        // What a store has lost the shape of may need every step.
        unknown.append(
          OlderObjects(
            type: totals.type, oldestVersion: totals.version, count: count, removedIn: nil))
        continue
      }
      // Types that the history does not have any more are left alone, whatever their version.
      guard squashed.knows(identity) else { continue }
      let former = known[identity]
      known[identity] = OlderObjects(
        type: squashed.base.types.first { $0.identity == identity }?.name ?? totals.type,
        oldestVersion: min(former?.oldestVersion ?? totals.version, totals.version),
        count: (former?.count ?? 0) + count, removedIn: whole.removal(of: identity, after: floor))
    }
    return (Array(known.values) + unknown).sorted { $0.type < $1.type }
  }

  private static func mismatch(
    of summary: StoreSummary, with history: SchemaHistory
  ) -> SchemaError? {
    let types = summary.schemas.values.flatMap(\.types)
    if !types.isEmpty, !types.contains(where: { history.knows($0.identity) }) {
      let names = Set(types.map(\.name)).sorted()
      return .unknownType(type: names.joined(separator: ", "), version: history.latestVersion)
    }
    func check(_ ledger: [SchemaVersion: RecordedVersion]) throws(SchemaError) {
      _ = try HistoryCheck.check(
        history, storedShapes: summary.schemas, records: [], requested: history.latestVersion,
        ledger: ledger, allowingNewer: true)
    }
    do throws(SchemaError) {
      do throws(SchemaError) { try check(summary.ledger) } catch .historyEdited {
        // Reported when such a store is opened, but no reason to refuse it.
        try check([:])
      }
      return nil
    } catch { return error }
  }
}

extension FloorObstacle: CustomStringConvertible {
  /// The store and what it needs, in one line.
  public var description: String {
    var parts = objects.map { objects in
      "\(objects.count) \(objects.count == 1 ? "object" : "objects") of \(objects.type), the "
        + "oldest of version \(objects.oldestVersion)"
        + (objects.removedIn.map {
          ", which no floor from \($0) on needs, and which migrate() drops with the whole history"
        } ?? "")
    }
    switch failure {
    case .schema(let mismatch)?: parts.append("it is not a store of this history: \(mismatch)")
    case let failure?: parts.append("it cannot be read: \(failure)")
    case nil: break
    }
    if !barrierIDs.isEmpty { parts.append("\(barrierIDs.joined(separator: ", ")) did not run") }
    return "\(path)\(version.map { ", version \($0)" } ?? ""): \(parts.joined(separator: "; "))"
  }
}

extension SchemaHistory {
  /// The first version behind `version` that has the type no more; nothing when all have it.
  fileprivate func removal(
    of type: TypeIdentity, after version: SchemaVersion
  ) -> SchemaVersion? {
    versions.map(\.number).first { number in
      guard number > version else { return false }
      do throws(SchemaError) { return try shape(at: number).type(type) == nil } catch {
        return false
      }
    }
  }
}
