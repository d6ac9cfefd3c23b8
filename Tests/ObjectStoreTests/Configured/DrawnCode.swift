import StorageTestSupport

@testable import ObjectStore

/// What a developer's migration blocks do in the versions of a drawn model.
struct DrawnCode {
  /// A member became another type in a version.
  struct Change {
    let version: Int
    let from: FieldType
    let to: FieldType
    /// What nil becomes.
    let fill: Value
    /// The first version without the code for it.
    let end: Int

    /// Whether the store does it without code.
    var isFree: Bool { to.description == from.madeOptional.description }

    func value(of value: Value) -> Value {
      switch (value, to.unwrapped) {
      case (.null, _): to.isOptional ? .null : fill
      case (.int(let number), .string): .string("\(number)")
      case (.string(let text), .int64): .int(Int64(text) ?? -1)
      default: value
      }
    }
  }

  /// A member that code gave another name in a version.
  struct Rename {
    /// The number of the member.
    let member: Int
    let version: Int
    let from: String
    let to: String
    /// The first version without the code for it.
    var end: Int
    /// The number of the member that it is from now on, when it was given up.
    var becomes: Int?
  }

  /// Sets a member from one of the old object, or from what the member began with.
  private struct Setting {
    let source: String?
    let begin: Value
    let target: String
    let changes: [Change]

    func run(_ old: MigrationObject?, _ new: MigrationObject?) {
      var value = begin
      if let source {
        value = Value(swiftValue: old?[source], for: changes[0].from) ?? .null
      }
      for change in changes { value = change.value(of: value) }
      new?[target] = value.swiftValue
    }
  }

  /// Whether parts of blocks stay when their members are given up.
  var keepsParts = false
  /// By the number of the member.
  var changes: [Int: [Change]] = [:]
  /// The members of all versions.
  var releases: [Int: [DrawnModel.Member]] = [:]
  /// In the order in which they are said.
  var renames: [Rename] = []
  /// The members of the versions that the device saw.
  var versions: [Int: [DrawnModel.Member]] = [:]
  /// What members were when the device first saw them, and in which version.
  private var begins: [Int: (value: Value, version: Int)] = [:]

  mutating func begin(_ member: DrawnModel.Member, in version: Int) {
    begins[member.number] = (member.initial, version)
  }

  /// Whether code renames a member.
  func renames(_ member: Int) -> Bool {
    renames.contains { $0.member == member }
  }

  /// The block of the current version, which has `members`.
  func block(
    of version: Int, _ members: [DrawnModel.Member]
  ) -> Store.Configuration.MigrationClosure {
    { [self] migration, old in
      rename(migration, from: Int(old), to: version, members)
      let settings = settings(from: Int(old), to: version, members)
      if settings.isEmpty { return }
      migration.enumerateObjects(ofType: "Drawn") { old, new in
        for setting in settings { setting.run(old, new) }
      }
    }
  }

  /// Says the new names of members that objects of a version have; what became of a member that
  /// was given up nobody says any more, but who keeps a block as it is.
  private func rename(
    _ migration: Migration, from old: Int, to version: Int, _ members: [DrawnModel.Member]
  ) {
    var names: [Int: String] = [:]
    for member in releases[old, default: []]
    where keepsParts || isKept(member.number, in: members) {
      names[member.number] = member.name
    }
    for rename in renames where rename.version > old && version < rename.end {
      guard let name = names[rename.member] else { continue }
      // For what is gone itself nobody says it, but who keeps a block as it is.
      if let member = rename.becomes, !keepsParts, !isKept(member, in: members) { continue }
      migration.renameProperty(onType: "Drawn", from: name, to: rename.to)
      names[rename.becomes ?? rename.member] = rename.to
      if rename.becomes != nil { names[rename.member] = nil }
    }
  }

  /// Whether there is a member still, or what code made of it.
  private func isKept(_ number: Int, in members: [DrawnModel.Member]) -> Bool {
    members.contains { $0.number == number }
      || renames.contains { rename in
        rename.member == number && rename.becomes.map { isKept($0, in: members) } == true
      }
  }

  /// Whether objects of a version that the device saw need code which was dropped.
  func lacksCode(at version: Int, _ members: [DrawnModel.Member]) -> Bool {
    versions.keys.contains { old in
      members.contains { member in
        let changes = changes(of: member, from: old, to: version)
        return changes.contains { !$0.isFree } && !changes.allSatisfy { version < $0.end }
      }
    }
  }

  private func settings(
    from old: Int, to version: Int, _ members: [DrawnModel.Member]
  ) -> [Setting] {
    members.compactMap { member in
      let changes = changes(of: member, from: old, to: version)
      guard changes.contains(where: { !$0.isFree }), changes.allSatisfy({ version < $0.end })
      else { return nil }
      let source = versions[old]?.first { $0.number == member.number }
      return Setting(
        source: source?.name, begin: begins[member.number]?.value ?? .null, target: member.name,
        changes: changes)
    }
  }

  /// What became of a member since objects of a version were written, or since it came.
  private func changes(of member: DrawnModel.Member, from old: Int, to version: Int) -> [Change] {
    let isOld = versions[old]?.contains { $0.number == member.number } ?? false
    let since = isOld ? old : begins[member.number]?.version ?? version
    return changes[member.number, default: []].filter { $0.version > since }
  }
}
