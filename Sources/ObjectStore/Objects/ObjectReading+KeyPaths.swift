/// Look-ups by members that the compiler knows: `where: \.genre, equals: .science`.
///
/// They find, cost and throw what those by name do, and make one object more. The member must be
/// stored by itself, and be visited one by one: what is observed or computed, and members of a
/// ``CodableObject``, are looked up by name; they throw
/// ``StoreError/invalidLookup(type:member:reason:)`` here.
extension ObjectReading {
  /// The objects whose member at `member` holds `value`.
  public func objects<Model: StorableObject, Member: StorableValue>(
    _ model: Model.Type, where member: KeyPath<Model, Member>, equals value: Member,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> {
    try objects(model, where: try Model.memberName(at: member), equals: value, order: order)
  }

  /// The objects whose member at `member` holds a value in a range: `18...`, `"a"..<"b"`.
  public func objects<Model: StorableObject, Values: ValueRangeExpression>(
    _ model: Model.Type, where member: KeyPath<Model, Values.Bound>, in values: Values,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> {
    try objects(model, where: try Model.memberName(at: member), in: values, order: order)
  }

  /// The same for a member that may be absent; absent ones are in no range.
  public func objects<Model: StorableObject, Values: ValueRangeExpression>(
    _ model: Model.Type, where member: KeyPath<Model, Values.Bound?>, in values: Values,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> {
    try objects(model, where: try Model.memberName(at: member), in: values, order: order)
  }

  /// The objects whose member at `member`, a list or set, contains `element`, in the order of their
  /// keys; an object comes once.
  public func objects<Model: StorableObject, Elements: Collection>(
    _ model: Model.Type, where member: KeyPath<Model, Elements>, contains element: Elements.Element,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> where Elements.Element: StorableValue {
    try objects(model, where: try Model.memberName(at: member), contains: element, order: order)
  }

  /// The same for a member that may be absent; what is absent contains nothing.
  public func objects<Model: StorableObject, Elements: Collection>(
    _ model: Model.Type, where member: KeyPath<Model, Elements?>,
    contains element: Elements.Element, order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> where Elements.Element: StorableValue {
    try objects(model, where: try Model.memberName(at: member), contains: element, order: order)
  }

  /// The objects whose member at `member` holds a selected value.
  public func objects<Model: StorableObject, Member: StorableValue>(
    _ model: Model.Type, where member: KeyPath<Model, Member>, selecting values: MemberSelection,
    order: KeyOrder = .ascending
  ) throws(StoreError) -> MatchCursor<Model> {
    try objects(model, where: try Model.memberName(at: member), selecting: values, order: order)
  }
}
