/// Deleting by members that the compiler knows; costs and throws what deleting by name does, and
/// for key paths what look-ups by them do.
extension StoreTransaction {
  /// Removes the objects whose member at `member` holds `value`; returns how many there were.
  @discardableResult
  public func delete<Model: StorableObject, Member: StorableValue>(
    _ model: Model.Type, where member: KeyPath<Model, Member>, equals value: Member
  ) throws(StoreError) -> Int {
    try delete(model, where: try Model.memberName(at: member), equals: value)
  }

  /// Removes the objects whose member at `member` holds a value in a range; returns how many there
  /// were.
  @discardableResult
  public func delete<Model: StorableObject, Values: ValueRangeExpression>(
    _ model: Model.Type, where member: KeyPath<Model, Values.Bound>, in values: Values
  ) throws(StoreError) -> Int {
    try delete(model, where: try Model.memberName(at: member), in: values)
  }

  /// The same for a member that may be absent; absent ones are in no range.
  @discardableResult
  public func delete<Model: StorableObject, Values: ValueRangeExpression>(
    _ model: Model.Type, where member: KeyPath<Model, Values.Bound?>, in values: Values
  ) throws(StoreError) -> Int {
    try delete(model, where: try Model.memberName(at: member), in: values)
  }

  /// Removes the objects whose member at `member`, a list or set, contains `element`; returns how
  /// many there were.
  @discardableResult
  public func delete<Model: StorableObject, Elements: Collection>(
    _ model: Model.Type, where member: KeyPath<Model, Elements>, contains element: Elements.Element
  ) throws(StoreError) -> Int where Elements.Element: StorableValue {
    try delete(model, where: try Model.memberName(at: member), contains: element)
  }

  /// The same for a member that may be absent; what is absent contains nothing.
  @discardableResult
  public func delete<Model: StorableObject, Elements: Collection>(
    _ model: Model.Type, where member: KeyPath<Model, Elements?>, contains element: Elements.Element
  ) throws(StoreError) -> Int where Elements.Element: StorableValue {
    try delete(model, where: try Model.memberName(at: member), contains: element)
  }

  /// Removes the objects whose member at `member` holds a selected value; returns how many there
  /// were.
  @discardableResult
  public func delete<Model: StorableObject, Member: StorableValue>(
    _ model: Model.Type, where member: KeyPath<Model, Member>, selecting values: MemberSelection
  ) throws(StoreError) -> Int {
    try delete(model, where: try Model.memberName(at: member), selecting: values)
  }
}
