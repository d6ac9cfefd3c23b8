public import BinaryCoding
public import SchemaRegistry

/// Enumerations with raw values: `enum Mood: String, StorableValue { case calm, cross }`.
///
/// The raw value is stored. One that no case has, because a newer app wrote it or a case was taken
/// away, is an error when it is read; convert such values in an upgrade step. Where the enumeration
/// is `CaseIterable` and the history declares the cases of the member, opening compares the two;
/// declare `storedCases` where `allCases` are not those that are stored. Ranges of them are looked
/// up where the enumeration says that its order is that of its raw values, by conforming to
/// ``OrderedStorableValue``.
extension StorableValue where Self: RawRepresentable, RawValue: StorableValue {
  public static var memberType: FieldType { RawValue.memberType }
  public func encode(to writer: inout ByteWriter) { rawValue.encode(to: &writer) }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Self {
    let offset = reader.offset
    guard let value = Self(rawValue: try RawValue.decode(from: &reader)) else {
      throw .invalidValue(offset: offset, reason: "\(Self.self) has no case with this raw value")
    }
    return value
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
