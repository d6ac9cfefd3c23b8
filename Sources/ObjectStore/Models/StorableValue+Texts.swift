public import BinaryCoding
public import SchemaRegistry

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A decimal number is stored as its text without needless zeros, as in `-12.5`, or `NaN`.
extension Decimal: StorableValue {
  public static var memberType: FieldType { .string }

  public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeString(canonicalText, to: &writer)
  }

  public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Decimal {
    let offset = reader.offset
    guard let value = Decimal(stored: try PayloadPrimitives.readString(from: &reader)) else {
      throw .invalidValue(offset: offset, reason: "the text is not a decimal number")
    }
    return value
  }

  public var dynamicValue: Value { .string(canonicalText) }

  public init?(dynamicValue: Value) {
    guard case .string(let text) = dynamicValue else { return nil }
    self.init(stored: text)
  }

  /// Numbers that are equal have equal texts, however many zeros their mantissa ends in.
  private var canonicalText: String {
    if isNaN { return "NaN" }
    var text = description
    guard text.contains("."), !text.contains("e"), !text.contains("E") else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  private init?(stored text: String) {
    guard text != "NaN" else {
      self = .nan
      return
    }
    // Foundation reads the number that a text begins with; all of it must be one.
    let digits = text.hasPrefix("-") ? text.utf8.dropFirst() : text.utf8[...]
    guard !digits.isEmpty, digits.first.map(Self.isDigit) == true, text.utf8.count <= 400,
      digits.allSatisfy({ Self.isDigit($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    self.init(string: text)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

/// A URL is stored as its absolute text; what it was relative to is not kept apart.
extension URL: StorableValue {
  public static var memberType: FieldType { .string }

  public func encode(to writer: inout ByteWriter) {
    PayloadPrimitives.writeString(absoluteString, to: &writer)
  }

  public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> URL {
    let offset = reader.offset
    guard let value = URL(string: try PayloadPrimitives.readString(from: &reader)) else {
      throw .invalidValue(offset: offset, reason: "the text is not a URL")
    }
    return value
  }

  public var dynamicValue: Value { .string(absoluteString) }

  public init?(dynamicValue: Value) {
    guard case .string(let text) = dynamicValue else { return nil }
    self.init(string: text)
  }
}
