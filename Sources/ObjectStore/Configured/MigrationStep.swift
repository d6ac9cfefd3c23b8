internal import SchemaRegistry

/// What a migration block does to one object, as a step of a history.
struct MigrationStep {
  /// A mistake that the code made with an object; the object stays as it is.
  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  let migration: Migration
  let bodies: [Migration.ObjectClosure]
  let stored: TypeShape
  /// Other names of stored members.
  let aliases: [String: String]
  let target: TypeShape
  /// The Swift types of its members.
  let memberTypes: MemberTypes
  let revision: UInt32
  /// What the code must set.
  let needed: [NeededMember]
  /// Whether the code runs twice, and must do the same both times.
  let checksPurity: Bool

  /// Runs the code once for each time that the block enumerated the type.
  func closure() -> RewriteClosure {
    RewriteClosure(revision: revision) { [self] old, new, _ in
      var oldValues: [String: Value] = [:]
      for member in stored.members { oldValues[member.name] = old[member.name] }
      for (alias, member) in aliases { oldValues[alias] = oldValues[member] }
      var newValues: [String: Value] = [:]
      for member in target.members { newValues[member.name] = new[member.name] }
      let changed = try run(oldValues, newValues)
      if checksPurity, !bodies.isEmpty {
        try check(changed, against: try run(oldValues, newValues))
      }
      for (name, value) in changed.sorted(by: { $0.key < $1.key }) { new[name] = value }
      return .keep
    }
  }

  /// What the code sets.
  private func run(
    _ oldValues: [String: Value], _ newValues: [String: Value]
  ) throws -> [String: Value] {
    let oldObject = MigrationObject(
      shape: stored, typeName: stored.name, values: oldValues, isReadOnly: true)
    let newObject = MigrationObject(
      shape: target, typeName: target.name, values: newValues, isReadOnly: false,
      swiftTypes: memberTypes)
    try migration.runStep {
      for body in bodies { try body(oldObject, newObject) }
    }
    if let fault = oldObject.fault ?? newObject.fault { throw Mistake(description: fault) }
    let missing = needed.first {
      !newObject.changed.contains($0.name) && !$0.isKept(from: oldValues)
    }
    // Without code nothing is set: what a block at open sets comes later.
    if let missing, !bodies.isEmpty { throw Mistake(description: missing.mistake) }
    return newObject.values.filter { newObject.changed.contains($0.key) }
  }

  private func check(_ first: [String: Value], against second: [String: Value]) throws {
    let names = Set(first.keys).union(second.keys).sorted()
    guard let name = names.first(where: { first[$0] != second[$0] }) else { return }
    throw Mistake(
      description:
        "two runs of the migration block set \(target.name).\(name) to different values; "
        + "set a value that follows from the old object, or use migrationTiming: .atOpen")
  }
}
