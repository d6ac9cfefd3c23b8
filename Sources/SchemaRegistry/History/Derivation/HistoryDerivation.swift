internal import BinaryCoding

/// Runs a history over shapes alone: finds the shape of every version and everything wrong with it.
///
/// 1. The base gives the first shape.
/// 2. Each version runs its changes in order; operations change the state of their type and leave
///    a resolved operation for the data.
/// 3. At the end of a version the rules that look at the whole version are checked.
///
/// After an issue the walk goes on as if the operation had not been written, so that one report
/// holds every issue.
struct HistoryDerivation {
  var issues: [HistoryIssue] = []
  var operations: [OperationDescription] = []
  private(set) var versions = SortedTable<SchemaVersion, DerivedVersion>()
  var types: [TypeState] = []
  /// Those of the version that is being derived.
  var barriers: [ResolvedBarrier] = []
  /// What else the version that is being derived says; see the extensions that fill them.
  var inverses: [MemberInverse] = []
  var removals: [ChangedTarget] = []
  var rekeyed: [ChangedTarget] = []
  var moves: [PendingMove] = []
  /// Of all types that there ever were.
  var identities = SortedTable<TypeIdentity, Void>()
  /// The version that is being derived.
  var version: SchemaVersion = 0
  /// How many operations each type name has had in this version.
  private var positions: [String: Int] = [:]
  /// All record operations of this version by type, to look ahead.
  var upcoming = SortedTable<TypeIdentity, [RecordOperation]>()

  private let allowsGaps: Bool

  init(base: Base, versions declared: [Version], allowsGaps: Bool) {
    self.allowsGaps = allowsGaps
    deriveBase(base)
    var previous = base.version
    for next in declared {
      guard checkNumber(next, after: previous) else { continue }
      derive(next, after: previous)
      previous = next.number
    }
  }

  mutating func report(
    _ operationID: String, _ member: String?, _ problem: String, _ suggestion: String
  ) {
    issues.append(
      HistoryIssue(
        operationID: operationID, member: member, problem: problem, suggestion: suggestion))
  }

  /// The id of the next operation on the type called `name`.
  mutating func nextID(_ name: String) -> String {
    positions[name, default: 0] += 1
    return "v\(version)/\(name)/\(positions[name] ?? 0)"
  }

  private mutating func deriveBase(_ base: Base) {
    version = base.version
    if version == .reserved {
      report(
        "base", nil, "The base has the reserved version, the largest integer.",
        "Number versions from 0.")
    }
    for type in base.types { add(type, id: "base \(base.version)/\(type.name)") }
    finish(fingerprint: base.fingerprint ?? baseFingerprint(base), isBase: true)
  }

  private mutating func checkNumber(_ next: Version, after previous: SchemaVersion) -> Bool {
    let id = "v\(next.number)"
    if next.number == .reserved {
      report(
        id, nil, "A version has the reserved number, the largest integer.",
        "Number versions one after the other.")
      return false
    }
    if next.number <= previous {
      report(
        id, nil, "Version \(next.number) stands after version \(previous).",
        "Write every version once, in ascending order.")
      return false
    }
    if !allowsGaps, next.number.rawValue - previous.rawValue > 1 {
      report(
        id, nil, "There is a gap between version \(previous) and version \(next.number).",
        "Add Version(\(previous.rawValue + 1)) {}, or renumber.")
    }
    return true
  }

  private mutating func derive(_ next: Version, after previous: SchemaVersion) {
    let before = fingerprint
    version = next.number
    positions = [:]
    barriers = []
    inverses = []
    upcoming = operations(of: next)
    for index in types.indices { types[index].startVersion() }
    let first = operations.count
    // Barriers run last, wherever they are written.
    let inOrder =
      next.changes.filter { !$0.isBarrier } + next.changes.filter(\.isBarrier)
    for change in inOrder { apply(change, previous: previous) }
    for index in types.indices { checkEndOfVersion(index) }
    let added = operations[first...]
    finish(
      fingerprint: HistoryChain.fingerprint(
        of: version, after: before, added, revisions: added.map(\.revision)), isBase: false)
  }

  /// The record operations of a version by the type that each is about, whatever that is called
  /// by then.
  private func operations(
    of version: Version
  ) -> SortedTable<TypeIdentity, [RecordOperation]> {
    var found = SortedTable<TypeIdentity, [RecordOperation]>()
    var names: [String: TypeIdentity] = [:]
    for type in types { names[type.name] = type.identity }
    for change in version.changes {
      switch change {
      case .records(let name, let operations):
        if let type = names[name] { found.update(type, from: []) { $0 += operations } }
      case .renameType(let old, let new):
        if names[new] == nil, let type = names.removeValue(forKey: old) { names[new] = type }
      case .removeType(let name): names[name] = nil
      // No operation runs on what is new.
      case .addType, .barrier: break
      }
    }
    return found
  }

  private var fingerprint: ShapeFingerprint {
    versions[version]?.fingerprint ?? ShapeFingerprint(high: 0, low: 0)
  }

  private mutating func finish(fingerprint: ShapeFingerprint, isBase: Bool) {
    resolveLinks()
    var shapes: [TypeShape] = []
    var transitions = SortedTable<TypeIdentity, TypeTransition>()
    for index in types.indices {
      if types[index].isTouched { types[index].latest = nil }
      let type = types[index]
      do throws(SchemaError) {
        let shape = if let latest = type.latest { latest } else { try type.shape() }
        types[index].latest = shape
        shapes.append(shape)
        if !isBase, let source = type.source, type.isTouched {
          transitions[type.identity] = TypeTransition(
            version: version, source: source, target: shape, operations: type.operations)
        }
      } catch {
        report("v\(version)/\(type.name)", nil, error.description, "See the members of this type.")
      }
    }
    do throws(SchemaError) {
      let shape = try SchemaShape(version: version, types: shapes)
      versions[version] = DerivedVersion(
        shape: shape, transitions: transitions, barriers: barriers, inverses: inverses,
        meanings: meanings, fingerprint: fingerprint)
    } catch {
      if version != .reserved {
        report("v\(version)", nil, error.description, "See the types of this version.")
      }
    }
  }

  private func baseFingerprint(_ base: Base) -> ShapeFingerprint {
    var writer = ByteWriter()
    writer.writeVariableLength(base.version.rawValue)
    for type in base.types.sorted(by: {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }) {
      OperationHash.write(type, to: &writer)
    }
    return ShapeFingerprint(of: writer.bytes)
  }
}
