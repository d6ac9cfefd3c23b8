/// Types that no member can have: the compiler says so in one sentence, where it would name every
/// form of `member` and why it does not fit, or give up.
extension MemberVisitor {
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      this type cannot be that of a member: make an enumeration with raw values StorableValue, a \
      struct an EmbeddedObject (@Model without @PrimaryKey), hold an object by Link<Type>, key \
      dictionaries by String, and mark what is not stored @Transient
      """
  )
  /// Never called: tells what to do about a member whose type is no ``StorableValue``.
  public mutating func member<Member>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    fatalError("the compiler must refuse members of types that are not storable")
  }
}

extension Placeholder {
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      nothing says what this member begins with: give it an initial value, or make its enumeration \
      CaseIterable
      """
  )
  /// Never called: tells what to do about a member without an initial value that needs one.
  public static func value<Value: StorableValue>() -> Value {
    fatalError("the compiler must refuse members that nothing says the beginning of")
  }

  @_disfavoredOverload
  @available(
    *, unavailable,
    message: """
      this type cannot be that of a member: make an enumeration with raw values StorableValue, a \
      struct an EmbeddedObject (@Model without @PrimaryKey), hold an object by Link<Type>, key \
      dictionaries by String, and give what is @Transient an initial value
      """
  )
  /// Never called: the same where the type cannot be that of a member.
  public static func value<Value>() -> Value {
    fatalError("the compiler must refuse members of types that are not storable")
  }
}
