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
  /// The shapes of all earlier versions of the store, and of all later ones, the oldest first.
  let earlier: [SchemaShape]
  let later: [SchemaShape]
  /// What a block renames in objects of a later version; nothing where it throws for that.
  let laterRenames: (SchemaShape, _ type: String) -> [(from: String, to: String)]?
  /// Where the members of a type come from that the current schema has already, as a newer stored
  /// version told. A member that was removed and introduced again is another one, though it has the
  /// same name (R23).
  let lineages: (TypeIdentity) -> MemberLineages
  /// What the stored version said that the members of a type were called; nothing when that is not
  /// known.
  let formerNames: (TypeIdentity) -> [String: [String]]?
  /// Whether what code must set is set before anybody reads it, so that a zero may stand in for it.
  let isEager: Bool
  /// Whether names are refused that nothing has.
  let checksNames: Bool
  /// Whether any version of the store has a member of that name in a type of that name.
  let isKnown: (_ type: String, _ member: String) -> Bool
  /// The step that runs the block's closures on an object of a type of the models, and fails when
  /// they leave out what is needed.
  let step:
    (_ stored: TypeShape, _ aliases: [String: String], _ needed: [NeededMember]) -> RewriteClosure
  /// What the store recorded as the value of a member in objects of the stored version, when it
  /// fits that type: of one that they lack, or of nil in one that was optional. What embedded
  /// objects in it lack is as the model says.
  let recorded:
    (TypeIdentity, [MemberIdentity], FieldType, _ isForNil: Bool, EmbeddedInitialValues) -> Value?
  /// What it recorded for members that were added inside of embedded objects of that type.
  let recordedInside: (TypeIdentity, [MemberIdentity], FieldType) -> EmbeddedInitialValues

  /// The history, and what the members of types were by their names now.
  func inferred() throws(StoreError) -> (
    history: SchemaHistory, found: [TypeIdentity: InferredOperations]
  ) {
    var changes: [SchemaChange] = []
    var found: [TypeIdentity: InferredOperations] = [:]
    for type in models.types {
      if let known = known.first(where: { $0.name == type.name }) {
        let (operations, ofType) = try operations(from: known, to: type)
        found[known.identity] = ofType
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
    return (history, found)
  }

  private func operations(
    from old: TypeShape, to new: DeclaredModels.Declared
  ) throws(StoreError) -> ([RecordOperation], InferredOperations) {
    let hasCode = notes.closures.contains { $0.type == new.name }
    // Of what a block deletes nothing has to be carried over.
    let isAnswered = hasCode || notes.emptied.contains(new.name)
    let lineages = lineages(old.identity)
    let sources = try sources(old, new, lineages, hasCode: hasCode)
    try checkKey(of: old, sources.names, new)
    var found = InferredOperations()
    for member in old.members {
      guard let name = sources.name(of: member),
        let wanted = new.members.first(where: { $0.name == name })
      else {
        found.removals.append(.remove(member: member.name))
        continue
      }
      var need = NeededMember(
        type: new.name, name: name, held: member.type, holds: wanted.type, version: stored.version)
      let changes =
        lineages[name].isRetyped(since: member.identity)
        ? nil : changes(of: member, in: old, named: name, to: wanted.type, new, lineages)
      found.origins[name] = RecordedLineage.Origin(
        identity: member.identity, change: changes == nil ? .retyped : .renamed)
      guard let changes else {
        if member.name != name, lineages[name].isRetyped { need.lost = member.name }
        found.needed.append(need)
        found.removals.append(.remove(member: member.name))
        continue
      }
      if changes.needsCode, !isAnswered { throw need.missingCode }
      if changes.lacksFill {
        need.kept = member.name
        found.needed.append(need)
      }
      if name != member.name { found.renamed.append((member, name)) }
      found.others += changes.operations
      found.survivors.insert(name)
    }
    let added = new.members.filter { !found.survivors.contains($0.name) }
    for member in added {
      let lost = sources.unclear.first { $0.to == member.name }?.source
      if lineages.current == nil, let stored = old.members.first(where: { $0.name == lost }) {
        // Code tells what it was, for objects of older versions, too.
        found.origins[member.name] = RecordedLineage.Origin(
          identity: stored.identity, change: .unclear)
      }
      add(
        member, to: &found, new, old, lineages[member.name], lost: lost, isAnswered: isAnswered)
    }
    if !isAnswered, let first = found.needed.first { throw first.missingCode }
    found.broughtBack = lineages.broughtBack(found.origins)
    let operations = found.ordered(adding: Set(added.map(\.name)), keyMember: old.keyMember)
    guard isAnswered else { return (operations, found) }
    let rewrite = step(old, sources.names.aliases, found.needed)
    return (operations + [.rewrite(rewrite)], found)
  }

  /// Adds a member that old objects lack, or whose values they do not keep.
  private func add(
    _ member: (name: String, type: FieldType), to found: inout InferredOperations,
    _ new: DeclaredModels.Declared, _ old: TypeShape, _ lineage: MemberLineage, lost: String?,
    isAnswered: Bool
  ) {
    let (operation, isNeeded) = addition(of: member, new, old, lineage, isAnswered: isAnswered)
    found.others.append(operation)
    if found.needed.contains(where: { $0.name == member.name }) { return }
    var need = NeededMember(
      type: new.name, name: member.name, held: nil, holds: member.type, version: stored.version)
    need.lost = lost
    if isNeeded || need.lost != nil { found.needed.append(need) }
  }

  /// Refuses another key: objects stay under the one that they have, where nobody would find them,
  /// and what is put under a key of the new kind would take the place of any of them.
  private func checkKey(
    of old: TypeShape, _ names: RenamedMembers, _ new: DeclaredModels.Declared
  ) throws(StoreError) {
    let name = names.final[old.keyMember] ?? old.keyMember
    guard let key = new.members.first(where: { $0.name == new.keyMember }),
      name != key.name || old.keyType.description != key.type.description
    else { return }
    throw .primaryKeyChanged(
      type: new.name, from: old.keyMember, held: old.keyType, to: key.name, holds: key.type,
      version: stored.version)
  }

  /// The operations that make a member hold another type; nothing when its values cannot stay.
  /// `lacksFill` tells that they can, and that nothing is known that nil could become.
  private func changes(
    of member: MemberShape, in old: TypeShape, named name: String, to wanted: FieldType,
    _ new: DeclaredModels.Declared, _ lineages: MemberLineages
  ) -> (operations: [RecordOperation], needsCode: Bool, lacksFill: Bool)? {
    func isSame(_ left: FieldType, _ right: FieldType) -> Bool {
      left.description == right.description
    }
    let identities = lineages[name].identitiesSinceCode + [member.identity]
    let between = types(of: identities, in: old)
    let wasRequired = member.type.isOptional && between.contains { !$0.isOptional }
    if EmbeddedMembers(wanted) == nil, !wasRequired {
      if isSame(member.type, wanted) { return ([], false, false) }
      if isSame(member.type.madeOptional, wanted) {
        return ([.makeOptional(member: name)], false, false)
      }
    }
    func inside(to type: FieldType) -> [RecordOperation]? {
      if EmbeddedMembers(type) == nil { return isSame(member.type, type) ? [] : nil }
      let initial = new.embedded(name)
        .overlaid(by: recordedInside(old.identity, identities, type))
      return EmbeddedComparison.operations(
        on: name, from: member.type, to: type, initial, between: between)
    }
    guard wasRequired || member.type.isOptional && !wanted.isOptional else {
      return inside(to: wanted).map { ($0, false, false) }
    }
    return inside(to: wanted.madeOptional).map { operations in
      // What it began with when it was optional is not what nil became when it was not.
      let fill =
        recorded(old.identity, identities, wanted.unwrapped, true, new.embedded(name))
        ?? (wanted.isOptional ? nil : new.initial.newObjectValue(of: name))
      let requiring = RecordOperation.require(
        member: name, fill: fill ?? wanted.unwrapped.zeroValue)
      let again = wanted.isOptional ? [RecordOperation.makeOptional(member: name)] : []
      return (operations + [requiring] + again, true, fill == nil)
    }
  }

  /// What a member was in later versions, by its identities, the newest first.
  private func types(of identities: [MemberIdentity], in type: TypeShape) -> [FieldType] {
    later.compactMap { shape in
      shape.type(type.identity)?.newestMember(identities.firstIndex(of:))?.type
    }
  }

  /// How a member is added, and whether only code knows what it holds.
  private func addition(
    of member: (name: String, type: FieldType), _ new: DeclaredModels.Declared, _ old: TypeShape,
    _ lineage: MemberLineage, isAnswered: Bool
  ) -> (operation: RecordOperation, isNeeded: Bool) {
    // The value of a member that is not new to the store is the one that it had when it was new.
    let identities = lineage.identitiesSinceCode
    let initial = new.embedded(member.name)
    var before = recorded(old.identity, identities, member.type, false, initial)
    // What nil became when it was not optional.
    let wasRequired =
      member.type.isOptional && before ?? .null == .null
      && types(of: identities, in: old).contains { !$0.isOptional }
    if wasRequired {
      before = recorded(old.identity, identities, member.type.unwrapped, true, initial)
    }
    let known = before ?? (wasRequired ? nil : new.defaults[member.name])
    // What only stands in for an initial value is no more than what code finds that sets it.
    let standIn =
      new.initial.newObjectValue(of: member.name) ?? (isEager ? member.type.zeroValue : nil)
    let value = known ?? (isAnswered ? standIn : nil)
    // An initial value like `Date()` is another one for each read; only code gives one that stays.
    return (
      .add(member: member.name, type: member.type, default: value),
      // What it was before code made it this type, the code made of its value then.
      lineage.isRetyped || known == nil && (wasRequired || !member.type.isOptional)
    )
  }
}
