public import BinaryCoding
public import SchemaRegistry

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension UUID: StorableKey {
  public static var memberType: FieldType { .uuid }

  /// The same identifier as the registry keeps it.
  @inlinable
  public var uniqueIdentifier: UniqueIdentifier {
    withUnsafeBytes(of: uuid) { bytes in
      UniqueIdentifier(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }

  /// The identifier that the registry keeps.
  @inlinable
  public init(_ identifier: UniqueIdentifier) {
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &bytes) { target in
      target.storeBytes(of: identifier.high.bigEndian, as: UInt64.self)
      target.storeBytes(of: identifier.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    self.init(uuid: bytes)
  }

  @inlinable
  public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeUUID(uniqueIdentifier, to: &writer)
  }
  @inlinable
  public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> UUID {
    UUID(try PayloadPrimitives.readUUID(from: &reader))
  }
  public var dynamicValue: Value { .uuid(uniqueIdentifier) }
  public init?(dynamicValue: Value) {
    guard case .uuid(let value) = dynamicValue else { return nil }
    self.init(value)
  }
}

extension Date: StorableValue {
  public static var memberType: FieldType { .date }
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeDate(timeIntervalSinceReferenceDate, to: &writer)
  }
  @inlinable
  public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Date {
    Date(timeIntervalSinceReferenceDate: try PayloadPrimitives.readDate(from: &reader))
  }
  public var dynamicValue: Value { .date(timeIntervalSinceReferenceDate) }
  public init?(dynamicValue: Value) {
    guard case .date(let value) = dynamicValue else { return nil }
    self.init(timeIntervalSinceReferenceDate: value)
  }
}

extension Data: StorableKey {
  public static var memberType: FieldType { .data }
  public func encode(to writer: inout ByteWriter) {
    withUnsafeBytes { PayloadPrimitives.writeData($0, to: &writer) }
  }
  public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Data {
    Data(copying: try reader.readLengthPrefixedBytes())
  }
  public var dynamicValue: Value { .data(withUnsafeBytes { [UInt8]($0) }) }
  public init?(dynamicValue: Value) {
    guard case .data(let value) = dynamicValue else { return nil }
    self = value.withUnsafeBytes { Data(copying: $0) }
  }

  /// One copy; sequences in general are asked for one byte after the other.
  private init(copying bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else {
      self.init()
      return
    }
    self.init(bytes: start, count: bytes.count)
  }
}
