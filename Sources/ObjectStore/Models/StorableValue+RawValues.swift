public import BinaryCoding
public import SchemaRegistry

/// Enumerations with raw values: `enum Mood: String, StorableValue { case calm, cross }`.
///
/// The raw value is stored. One that no case has, because a newer app wrote it or a case was taken
/// away, is an error when it is read that names object, member and value,
/// ``SchemaError/unknownCase(type:keyText:member:enumeration:value:)``: add the case, or convert
/// such values in an upgrade step; ``FailurePolicy`` says how to go on meanwhile. Where the
/// enumeration is `CaseIterable` and the history declares the cases of the member, opening compares
/// the two; declare `storedCases` where `allCases` are not those that are stored. Ranges of them
/// are looked up where the enumeration says that its order is that of its raw values, by conforming
/// to ``OrderedStorableValue``.
///
/// Structs with raw values are stored in the same way, of any type that is stored, but for
/// optionals: a store whose model has such a member does not open. Let the member be an optional
/// instead, of a type whose raw value is none.
extension StorableValue where Self: RawRepresentable, RawValue: StorableValue {
  public static var memberType: FieldType { RawValue.memberType }
  public static var linkTargets: [String: String] { RawValue.linkTargets }
  public static var storedCases: [Value] { RawValue.storedCases }
  public static var caseLists: [String: [Value]] {
    // The type may have fewer cases than its raw value, or say that it has none.
    var lists = RawValue.caseLists
    let cases = storedCases
    lists[""] = cases.isEmpty ? nil : cases
    return lists
  }
  public static var embeddedInitialValues: EmbeddedInitialValues? { RawValue.embeddedInitialValues }
  public static var elementIdentities: [String: ElementIdentity] { RawValue.elementIdentities }
  public func encode(to writer: inout ByteWriter) { rawValue.encode(to: &writer) }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Self {
    let offset = reader.offset
    let raw = try RawValue.decode(from: &reader)
    guard let value = Self(rawValue: raw) else {
      throw .unknownCase(unknownCase(raw.dynamicValue), offset: offset)
    }
    return value
  }

  /// What is told of a raw value that no case has.
  @usableFromInline static func unknownCase(_ value: Value) -> UnknownCase {
    UnknownCase(of: value, in: Self.self, isListed: !storedCases.isEmpty)
  }

  public var dynamicValue: Value { rawValue.dynamicValue }
  public init?(dynamicValue: Value) {
    guard let raw = RawValue(dynamicValue: dynamicValue) else { return nil }
    self.init(rawValue: raw)
  }
}

extension StorableValue where Self: RawRepresentable & CaseIterable, RawValue: StorableValue {
  public static var storedCases: [Value] { allCases.map(\.dynamicValue) }
}
