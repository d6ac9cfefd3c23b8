public import BinaryCoding
public import SchemaRegistry

/// The unsigned integers of 64 bits, which are stored as an int64 of the same bits.
///
/// Numbers from 2^63 on look negative to tools and upgrade steps, and their order is not that of
/// the bytes: so these types are no keys, and no ranges of them are looked up.
public protocol StorableBitPattern: FixedWidthInteger, StorableValue, PlaceholderValue {}

extension StorableBitPattern {
  public static var memberType: FieldType { .int64 }
  public static var placeholder: Self { 0 }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeInt64(Int64(truncatingIfNeeded: self), to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Self {
    Self(truncatingIfNeeded: try PayloadPrimitives.readInt64(from: &reader))
  }
  public var dynamicValue: Value { .int(Int64(truncatingIfNeeded: self)) }
  public init?(dynamicValue: Value) {
    guard case .int(let value) = dynamicValue else { return nil }
    self.init(truncatingIfNeeded: value)
  }
}

extension UInt64: StorableBitPattern {}
extension UInt: StorableBitPattern {}
