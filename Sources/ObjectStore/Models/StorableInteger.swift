public import BinaryCoding
public import SchemaRegistry

/// The integer types that are stored as a wider one: Int8, Int16, UInt8, UInt16 and UInt32.
///
/// The value is what is stored, so tools and upgrade steps see plain integers, and a number that
/// does not fit the Swift type is an error when it is read.
public protocol StorableInteger: FixedWidthInteger, StorableKey, OrderedStorableValue,
  PlaceholderValue
{}

extension StorableInteger {
  public static var memberType: FieldType { Self.bitWidth < 32 ? .int32 : .int64 }
  public static var placeholder: Self { 0 }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeInt64(Int64(truncatingIfNeeded: self), to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Self {
    let offset = reader.offset
    guard let value = Self(exactly: try PayloadPrimitives.readInt64(from: &reader)) else {
      throw .integerOutOfRange(offset: offset)
    }
    return value
  }
  public var dynamicValue: Value { .int(Int64(truncatingIfNeeded: self)) }
  public init?(dynamicValue: Value) {
    guard case .int(let value) = dynamicValue else { return nil }
    self.init(exactly: value)
  }
}

extension Int8: StorableInteger {}
extension Int16: StorableInteger {}
extension UInt8: StorableInteger {}
extension UInt16: StorableInteger {}
extension UInt32: StorableInteger {}
