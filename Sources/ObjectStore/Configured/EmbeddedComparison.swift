internal import SchemaRegistry

/// What follows from comparing the embedded objects that a member is, or holds, with those that it
/// is to hold.
enum EmbeddedComparison {
  /// The operations from what is `stored` to what is `wanted` of the member called `name`: members
  /// inside that are added with a value in `initial` or as optionals, that go, or that became
  /// optional. Nothing when only code can tell.
  ///
  /// The names of embedded members are nowhere followed. So where one goes and another comes in the
  /// same version that could hold its values, it may be the same, and code has to say so. `between`
  /// are the types that the member had in later versions, in their order: what one of them lacks
  /// inside was given up, and what has its name now is new (R23).
  static func operations(
    on name: String, from stored: FieldType, to wanted: FieldType,
    _ initial: EmbeddedInitialValues?, between: [FieldType]
  ) -> [RecordOperation]? {
    for type in [stored, stored.madeOptional] {
      let operations = inside(name, from: type, to: wanted, initial, between: between)
      guard let operations else { continue }
      return (isSame(type, stored) ? [] : [.makeOptional(member: name)]) + operations
    }
    return nil
  }

  /// The same for a member that is as optional as before.
  private static func inside(
    _ name: String, from stored: FieldType, to wanted: FieldType,
    _ initial: EmbeddedInitialValues?, between: [FieldType]
  ) -> [RecordOperation]? {
    guard let old = EmbeddedMembers(stored), let new = EmbeddedMembers(wanted), old.isLike(new)
    else { return nil }
    let between = between.compactMap { EmbeddedMembers($0)?.members }
    let kept = old.members.filter { member in
      new.members.contains { $0.name == member.name }
        && between.allSatisfy { members in members.contains { $0.name == member.name } }
    }
    let gone = old.members.filter { member in !kept.contains { $0.name == member.name } }
    let forms = [old.members] + between + [new.members]
    let areOfOneKind = zip(forms, forms.dropFirst()).allSatisfy { form, next in
      form.contains { member in next.contains { $0.name == member.name } }
    }
    guard areOfOneKind else { return nil }
    var operations: [RecordOperation] = old.members.compactMap { member in
      kept.contains { $0.name == member.name } ? nil : .remove(member: member.name)
    }
    for member in new.members {
      guard let known = kept.first(where: { $0.name == member.name }) else {
        guard
          let value = added(member, initial), value.isValid(for: member.type),
          !gone.contains(where: { mayBecome(member.name, $0.name, over: forms) })
        else { return nil }
        operations.append(.add(member: member.name, type: member.type, default: value))
        continue
      }
      if EmbeddedMembers(member.type) == nil {
        if isSame(known.type, member.type) { continue }
        guard isSame(known.type.madeOptional, member.type) else { return nil }
        operations.append(.makeOptional(member: member.name))
        continue
      }
      let inside = Self.operations(
        on: member.name, from: known.type, to: member.type, initial?.inner[member.name],
        between: between.compactMap { members in
          members.first { $0.name == member.name }?.type
        })
      guard let inside else { return nil }
      operations += inside
    }
    // The order of members alone is no change.
    if operations.isEmpty { return [] }
    return [.embedded(member: name, each: !new.containers.isEmpty, operations: operations)]
  }

  /// The value of a member that is added, with what was added inside of it since it was.
  private static func added(
    _ member: MemberShape, _ initial: EmbeddedInitialValues?
  ) -> Value? {
    let known = initial?.values[member.name] ?? (member.type.isOptional ? .null : nil)
    return known?.completed(
      for: member.type, initial?.inner[member.name] ?? EmbeddedInitialValues())
  }

  /// Whether a member of the first form may be the one called `name` in the last: where it went,
  /// or what it may have become, one came that could hold its values.
  private static func mayBecome(
    _ name: String, _ former: String, over forms: [[MemberShape]]
  ) -> Bool {
    var names: Set = [former]
    for (form, next) in zip(forms, forms.dropFirst()) {
      let gone = form.filter { member in
        names.contains(member.name) && !next.contains { $0.name == member.name }
      }
      names.subtract(gone.map(\.name))
      for member in next where !form.contains(where: { $0.name == member.name }) {
        if gone.contains(where: { isSame($0.type.unwrapped, member.type.unwrapped) }) {
          names.insert(member.name)
        }
      }
    }
    return names.contains(name)
  }

  /// Whether objects with one list of members become objects with a later one without code, as far
  /// as types tell.
  static func isFree(from earlier: [MemberShape], to later: [MemberShape]) -> Bool {
    let isOfOneKind = earlier.contains { member in later.contains { $0.name == member.name } }
    return isOfOneKind
      && later.allSatisfy { member in
        guard let known = earlier.first(where: { $0.name == member.name }) else {
          return !earlier.contains { mayBecome(member.name, $0.name, over: [earlier, later]) }
        }
        guard let old = EmbeddedMembers(known.type), let new = EmbeddedMembers(member.type) else {
          return isSame(known.type, member.type) || isSame(known.type.madeOptional, member.type)
        }
        let isOptionalOnly = [known.type, known.type.madeOptional].contains { type in
          EmbeddedMembers(type)?.isLike(new) ?? false
        }
        return isOptionalOnly && isFree(from: old.members, to: new.members)
      }
  }

  private static func isSame(_ left: FieldType, _ right: FieldType) -> Bool {
    left.description == right.description
  }
}
