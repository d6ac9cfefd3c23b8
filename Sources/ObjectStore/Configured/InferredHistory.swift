internal import SchemaRegistry

/// The history from one stored version to the models: what follows from comparing the two, and what
/// a migration block asked for. There is one for each stored version, of two versions each.
struct InferredHistory {
  let stored: SchemaShape
  /// The types of that version whose objects the models are to read; others are left alone.
  let known: [TypeShape]
  let models: DeclaredModels
  let version: SchemaVersion
  let notes: Migration.Recorded
  /// The step that runs the block's closures on an object of a type of the models.
  let step: (_ stored: TypeShape, _ aliases: [String: String]) -> RewriteClosure
  /// What the store recorded as the value of a member in objects of the stored version, when it
  /// fits that type.
  let recorded: (TypeIdentity, MemberIdentity, FieldType) -> Value?
  /// What the members are in the current schema, when a newer stored version told already: a member
  /// that was removed and introduced again is another one, though it has the same name (R23).
  let target: [TypeShape]

  func history() throws(StoreError) -> SchemaHistory {
    var changes: [SchemaChange] = []
    for type in models.types {
      if let known = known.first(where: { $0.name == type.name }) {
        let operations = try operations(from: known, to: type)
        if !operations.isEmpty {
          changes.append(.records(type: type.name, operations: operations))
        }
      } else if stored.type(named: type.name) == nil {
        changes.append(
          .addType(
            Type(
              name: type.name, keyMember: type.keyMember,
              fields: type.members.map { Field($0.name, $0.type) })))
      }
    }
    let history = SchemaHistory(
      base: Base(version: stored.version, types: known.map { Type($0) }),
      versions: [Version(number: version, changes: changes)], allowsGaps: true)
    try StoreError.schema { () throws(SchemaError) in try history.validate() }
    return history
  }

  private func operations(
    from old: TypeShape, to new: DeclaredModels.Declared
  ) throws(StoreError) -> [RecordOperation] {
    let names = try renamed(old, new)
    let hasCode = notes.closures.contains { $0.type == new.name }
    var renames: [RecordOperation] = []
    var removals: [RecordOperation] = []
    var others: [RecordOperation] = []
    var survivors: Set<String> = []
    for member in old.members {
      let name = names.final[member.name] ?? member.name
      let isRenamed = name != member.name && new.members.contains { $0.name == name }
      guard let wanted = new.members.first(where: { $0.name == name }),
        isRenamed || isSame(member, in: old, name),
        let changes = changes(of: member, in: old, named: name, to: wanted.type, new)
      else {
        if isRenamed, !hasCode {
          throw .migrationNeeded(
            type: new.name, member: name, from: member.type,
            to: new.members.first { $0.name == name }?.type ?? member.type, version: stored.version)
        }
        removals.append(.remove(member: member.name))
        continue
      }
      if isRenamed {
        renames.append(.rename(member: member.name, to: name, type: nil, fill: nil))
      }
      if changes.needsCode, !hasCode {
        throw .migrationNeeded(
          type: new.name, member: name, from: member.type, to: wanted.type, version: stored.version)
      }
      others += changes.operations
      survivors.insert(name)
    }
    for member in new.members where !survivors.contains(member.name) {
      others.append(try addition(of: member, new, old, hasCode: hasCode))
    }
    var operations = removals + renames + others
    if hasCode { operations.append(.rewrite(step(old, names.aliases))) }
    return operations
  }

  /// Whether a member that kept its name is still the one that the current schema means.
  private func isSame(_ member: MemberShape, in old: TypeShape, _ name: String) -> Bool {
    guard let type = target.first(where: { $0.identity == old.identity }),
      let current = type.members.first(where: { $0.name == name })
    else { return true }
    return current.identity == member.identity
  }

  /// What members are called in the end.
  private func renamed(
    _ old: TypeShape, _ new: DeclaredModels.Declared
  ) throws(StoreError) -> RenamedMembers {
    var asked = notes.renames.filter { $0.type == new.name }.map { (from: $0.from, to: $0.to) }
    for member in new.members where old.index(ofMember: member.name) == nil {
      let former = new.formerNames(of: member.name).first { former in
        old.index(ofMember: former) != nil
          || !new.has(former) && asked.contains { $0.to == former }
      }
      if let former { asked.append((former, member.name)) }
    }
    let renamed = RenamedMembers(old.members.map(\.name), renames: asked)
    let wrong = renamed.unknown.first { !new.formerNames(of: $0.to).contains($0.from) }
    guard let wrong else { return renamed }
    throw .schema(
      .invalidHistory([
        HistoryIssue(
          operationID: "migrationBlock \(stored.version)", member: "\(new.name).\(wrong.from)",
          problem: "\(new.name).\(wrong.from) cannot be renamed to \(wrong.to): "
            + "it does not exist before.",
          suggestion: "Rename it only for the versions that have it.")
      ]))
  }

  /// The operations that make a member hold another type; nothing when its values cannot stay.
  private func changes(
    of member: MemberShape, in old: TypeShape, named name: String, to wanted: FieldType,
    _ new: DeclaredModels.Declared
  ) -> (operations: [RecordOperation], needsCode: Bool)? {
    func isSame(_ left: FieldType, _ right: FieldType) -> Bool {
      left.description == right.description
    }
    if isSame(member.type, wanted) { return ([], false) }
    if isSame(member.type.madeOptional, wanted) { return ([.makeOptional(member: name)], false) }
    if member.type.isOptional, isSame(member.type.unwrapped, wanted),
      let fill = recorded(old.identity, member.identity, wanted)
        ?? new.initial.newObjectValue(of: name)
    {
      return ([.require(member: name, fill: fill)], true)
    }
    return nil
  }

  private func addition(
    of member: (name: String, type: FieldType), _ new: DeclaredModels.Declared, _ old: TypeShape,
    hasCode: Bool
  ) throws(StoreError) -> RecordOperation {
    // A member whose type changed has the old values no more: only code can say what it holds.
    if let former = old.members.first(where: { $0.name == member.name }),
      isSame(former, in: old, member.name), !hasCode
    {
      throw .migrationNeeded(
        type: new.name, member: member.name, from: former.type, to: member.type,
        version: stored.version)
    }
    // The value of a member that is not new to the store is the one that it had when it was new.
    let current = target.first { $0.identity == old.identity }
    let identity = current?.members.first { $0.name == member.name }?.identity
    let known = identity.flatMap { recorded(old.identity, $0, member.type) }
    // What only stands in for an initial value is no more than what code finds that sets it.
    let initial =
      hasCode ? new.initial.newObjectValue(of: member.name) : new.defaults[member.name]
    if let value = known ?? initial {
      return .add(member: member.name, type: member.type, default: value)
    }
    // An initial value like `Date()` is another one for each read; only code gives one that stays.
    guard hasCode || member.type.isOptional else {
      throw .migrationNeeded(
        type: new.name, member: member.name, from: nil, to: member.type, version: stored.version)
    }
    return .add(member: member.name, type: member.type, default: nil)
  }
}
