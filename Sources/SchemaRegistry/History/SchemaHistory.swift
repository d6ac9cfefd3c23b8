internal import BinaryCoding

/// Every schema an app ever had: the oldest one, and what each later version changed.
///
///     let history = SchemaHistory {
///       Base(0) {
///         Type("Person", key: "id") { Field("id", .uuid); Field("first", .string) }
///       }
///       Version(1) { On("Person") { Rename("first", to: "name") } }
///     }
///
/// The shapes between are derived, nobody keeps copies of old classes. Shipped versions are never
/// edited: a change is a new version. The history is checked once, when it is made, without data;
/// ask ``validate()`` or ``issues`` for what was found. An immutable value, free to share.
public struct SchemaHistory: Sendable {
  /// The oldest schema.
  public let base: Base
  /// The versions after the base as they were written.
  public let versions: [Version]
  /// Everything that is wrong with the history; empty for a good one.
  public let issues: [HistoryIssue]
  /// Every operation with its stable id, in order.
  public let operations: [OperationDescription]
  let derived: SortedTable<SchemaVersion, DerivedVersion>
  let allowsGaps: Bool

  /// A history of one base and the versions after it, in order.
  public init(@HistoryBuilder _ parts: () -> [HistoryPart]) {
    var bases: [Base] = []
    var versions: [Version] = []
    var misplaced = false
    for part in parts() {
      switch part {
      case .base(let base):
        if !versions.isEmpty { misplaced = true }
        bases.append(base)
      case .version(let version): versions.append(version)
      }
    }
    var extra: [HistoryIssue] = []
    if bases.count != 1 || misplaced {
      extra.append(
        HistoryIssue(
          operationID: "base", member: nil, problem: "A history starts with exactly one Base.",
          suggestion: "Write Base(0) { … } first, once."))
    }
    self.init(
      base: bases.first ?? Base(version: 0, types: []), versions: versions,
      allowsGaps: false, extraIssues: extra)
  }

  /// The same without a builder, for tools; version numbers may jump when `allowsGaps` is set.
  public init(base: Base, versions: [Version] = [], allowsGaps: Bool = false) {
    self.init(base: base, versions: versions, allowsGaps: allowsGaps, extraIssues: [])
  }

  private init(
    base: Base, versions: [Version], allowsGaps: Bool, extraIssues: [HistoryIssue]
  ) {
    let derivation = HistoryDerivation(base: base, versions: versions, allowsGaps: allowsGaps)
    self.base = base
    self.versions = versions
    self.allowsGaps = allowsGaps
    issues = extraIssues + derivation.issues
    operations = derivation.operations
    derived = derivation.versions
  }

  /// The version that the history leads to.
  public var latestVersion: SchemaVersion { versions.last?.number ?? base.version }

  /// Throws ``SchemaError/invalidHistory(_:)`` with every issue, if there is one.
  public func validate() throws(SchemaError) {
    if !issues.isEmpty { throw .invalidHistory(issues) }
  }

  /// The derived schema of `version`.
  public func shape(at version: SchemaVersion) throws(SchemaError) -> SchemaShape {
    try validate()
    guard let derived = derived[version] else {
      throw .unknownVersion(
        version: version, oldest: base.version, latest: latestVersion)
    }
    return derived.shape
  }

  /// What "version `version`" means: a hash chain over every operation up to it.
  public func fingerprint(at version: SchemaVersion) throws(SchemaError) -> ShapeFingerprint {
    _ = try shape(at: version)
    return derived[version]?.fingerprint ?? ShapeFingerprint(high: 0, low: 0)
  }

  /// The names of the types that cannot be upgraded without the app's code, sorted.
  public var typesNeedingCode: [String] {
    var identities: Set<TypeIdentity> = []
    for operation in operations where operation.needsApplicationCode {
      // A barrier of code is named by its author; the types that it touches are others.
      let barrier = derived[operation.version]?.barriers.first { $0.id == operation.id }
      identities.formUnion(barrier?.types ?? [operation.type])
    }
    let latest = derived[latestVersion]?.shape
    return identities.map { latest?.type($0)?.name ?? $0.originalName }.sorted()
  }

  /// The last version up to `version` that touched `type`; its introduction counts, and so do
  /// barriers that are named after other types.
  ///
  /// Records of this type that were written under any version in between need no upgrade.
  public func lastVersion(touching type: TypeIdentity, through version: SchemaVersion)
    -> SchemaVersion
  {
    let named = operations.last { $0.type == type && $0.version <= version }?.version
    let passed = derived.values.filter { derived in
      derived.shape.version <= version && derived.barriers.contains { $0.types.contains(type) }
    }
    return max(named ?? base.version, passed.map(\.shape.version).max() ?? base.version)
  }
}
