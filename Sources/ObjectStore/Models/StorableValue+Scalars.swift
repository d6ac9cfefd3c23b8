public import BinaryCoding
public import SchemaRegistry

extension Bool: StorableValue {
  public static var memberType: FieldType { .bool }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeBool(self, to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Bool {
    try PayloadPrimitives.readBool(from: &reader)
  }
  @inlinable
  public var dynamicValue: Value { .bool(self) }
  @inlinable
  public init?(dynamicValue: Value) {
    guard case .bool(let value) = dynamicValue else { return nil }
    self = value
  }
}

extension Int: StorableKey {
  public static var memberType: FieldType { .int64 }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeInt64(Int64(self), to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Int {
    let offset = reader.offset
    guard let value = Int(exactly: try PayloadPrimitives.readInt64(from: &reader)) else {
      throw .integerOutOfRange(offset: offset)
    }
    return value
  }
  @inlinable
  public var dynamicValue: Value { .int(Int64(self)) }
  @inlinable
  public init?(dynamicValue: Value) {
    guard case .int(let value) = dynamicValue else { return nil }
    self.init(exactly: value)
  }
}

extension Int64: StorableKey {
  public static var memberType: FieldType { .int64 }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeInt64(self, to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Int64 {
    try PayloadPrimitives.readInt64(from: &reader)
  }
  @inlinable
  public var dynamicValue: Value { .int(self) }
  @inlinable
  public init?(dynamicValue: Value) {
    guard case .int(let value) = dynamicValue else { return nil }
    self = value
  }
}

extension Int32: StorableKey {
  public static var memberType: FieldType { .int32 }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeInt32(self, to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Int32 {
    try PayloadPrimitives.readInt32(from: &reader)
  }
  @inlinable
  public var dynamicValue: Value { .int(Int64(self)) }
  @inlinable
  public init?(dynamicValue: Value) {
    guard case .int(let value) = dynamicValue else { return nil }
    self.init(exactly: value)
  }
}

extension Float: StorableValue {
  public static var memberType: FieldType { .float }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeFloat(self, to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Float {
    try PayloadPrimitives.readFloat(from: &reader)
  }
  @inlinable
  public var dynamicValue: Value { .float(self) }
  @inlinable
  public init?(dynamicValue: Value) {
    guard case .float(let value) = dynamicValue else { return nil }
    self = value
  }
}

extension Double: StorableValue {
  public static var memberType: FieldType { .double }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeDouble(self, to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Double {
    try PayloadPrimitives.readDouble(from: &reader)
  }
  @inlinable
  public var dynamicValue: Value { .double(self) }
  @inlinable
  public init?(dynamicValue: Value) {
    guard case .double(let value) = dynamicValue else { return nil }
    self = value
  }
}

extension String: StorableKey {
  public static var memberType: FieldType { .string }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeString(self, to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> String {
    try PayloadPrimitives.readString(from: &reader)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader, into value: inout String
  ) throws(BinaryDecodingError) {
    try reader.readString(into: &value)
  }
  @inlinable
  public var dynamicValue: Value { .string(self) }
  @inlinable
  public init?(dynamicValue: Value) {
    guard case .string(let value) = dynamicValue else { return nil }
    self = value
  }
}

extension UniqueIdentifier: StorableKey {
  public static var memberType: FieldType { .uuid }
  @inlinable public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeUUID(self, to: &writer)
  }
  @inlinable public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> UniqueIdentifier {
    try PayloadPrimitives.readUUID(from: &reader)
  }
  @inlinable
  public var dynamicValue: Value { .uuid(self) }
  @inlinable
  public init?(dynamicValue: Value) {
    guard case .uuid(let value) = dynamicValue else { return nil }
    self = value
  }
}
