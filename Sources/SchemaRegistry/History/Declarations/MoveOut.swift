/// Members of an embedded object become members of the record: `MoveOut("address", "street")`.
///
/// Where the object is optional, so are they. The object and what else it holds are removed, unless
/// `keepingRest` is set.
public struct MoveOut: CompoundDeclaration {
  public let operations: [RecordOperation]

  /// Takes `members`, which keep their names and types, out of the embedded object `object`.
  public init(_ object: String, _ members: String..., keepingRest: Bool = false) {
    let moved = members.map { name in
      RecordOperation.derive(
        member: name, type: nil, inputs: [object],
        computation: .expression(.field(.member(object), name)))
    }
    let rest: RecordOperation =
      keepingRest
      ? .embedded(member: object, each: false, operations: members.map { .remove(member: $0) })
      : .remove(member: object)
    operations = moved + [rest]
  }
}
