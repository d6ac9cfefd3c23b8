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
  let revision: UInt32

  /// Runs the code once for each time that the block enumerated the type.
  func closure() -> RewriteClosure {
    RewriteClosure(revision: revision) { [self] old, new, _ in
      var oldValues: [String: Value] = [:]
      for member in stored.members { oldValues[member.name] = old[member.name] }
      for (alias, member) in aliases { oldValues[alias] = oldValues[member] }
      var newValues: [String: Value] = [:]
      for member in target.members { newValues[member.name] = new[member.name] }
      let oldObject = MigrationObject(
        shape: stored, typeName: stored.name, values: oldValues, isReadOnly: true)
      let newObject = MigrationObject(
        shape: target, typeName: target.name, values: newValues, isReadOnly: false)
      try migration.runStep {
        for body in bodies { try body(oldObject, newObject) }
      }
      if let fault = oldObject.fault ?? newObject.fault { throw Mistake(description: fault) }
      for name in newObject.changed.sorted() { new[name] = newObject.values[name] ?? .null }
      return .keep
    }
  }
}
