internal import SchemaRegistry

/// What an app that is older than the store may do with each type, as the newer apps recorded it.
struct NewerVersions: Sendable {
  /// The highest version that wrote to the store.
  let version: SchemaVersion
  private let grades: [TypeIdentity: ForwardGrade]
  /// How what they took or changed is read, by version.
  private let inverses: [SchemaVersion: [MemberInverse]]
  /// Whether every version between is on record; without it nothing of the known types is safe.
  private let isComplete: Bool

  /// More versions than an app can have; a store that claims them is not looked at one by one.
  private static let versionCountMaximum: UInt64 = 1 << 20

  /// Nothing when no newer version wrote to the store.
  init?(_ catalog: SchemaCatalog, than version: SchemaVersion) {
    guard let highest = catalog.highestVersion, highest > version else { return nil }
    self.version = highest
    var grades: [TypeIdentity: ForwardGrade] = [:]
    var inverses: [SchemaVersion: [MemberInverse]] = [:]
    var count: UInt64 = 0
    for (number, recorded) in catalog.ledger.entries where number > version {
      count += 1
      grades.merge(recorded.grades) { max($0, $1) }
      if !recorded.inverses.isEmpty { inverses[number] = recorded.inverses }
    }
    self.grades = grades
    self.inverses = inverses
    let wanted = highest.rawValue - version.rawValue
    isComplete = wanted <= Self.versionCountMaximum && count >= wanted
  }

  /// The ways back for records of `type` that were written under `version`, oldest first.
  func inverses(of type: TypeIdentity, through version: SchemaVersion) -> [MemberInverse] {
    inverses.filter { $0.key <= version }.sorted { $0.key < $1.key }
      .flatMap { $0.value.filter { inverse in inverse.type == type } }
  }

  /// Whether members of `type` may hold something else for newer apps: what these put into indexes
  /// is then not what this version looks for.
  func changesValues(of type: TypeShape, in catalog: SchemaCatalog) -> Bool {
    guard isComplete, grades[type.identity] ?? .full == .full,
      !inverses.values.joined().contains(where: { $0.type == type.identity })
    else { return true }
    let newest = catalog.newestShape(of: type.identity)?.members.map(\.identity)
    return type.members.contains { newest?.contains($0.identity) == false }
  }

  /// Throws unless objects of `type` may be read, or written.
  func check(_ type: TypeShape, writing: Bool) throws(StoreError) {
    let grade = isComplete ? grades[type.identity] ?? .full : .refused
    guard grade == .refused || (writing && grade == .readOnly) else { return }
    let reason =
      if !isComplete {
        "the store does not know what the versions between did"
      } else if grade == .refused {
        "what it holds means something else there"
      } else { "this version may read it, but not change it" }
    throw .schema(.writtenByNewer(type: type.name, version: version, reason: reason))
  }
}
