#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A decimal number is stored as its text without needless zeros, as in `-12.5`, or `NaN`.
extension Decimal: StorableText {
  public static var storedKind: String { "decimal number" }

  /// Numbers that are equal have equal texts, however many zeros their mantissa ends in.
  public var storedText: String {
    if isNaN { return "NaN" }
    var text = description
    guard text.contains("."), !text.contains("e"), !text.contains("E") else { return text }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  public init?(storedText text: String) {
    guard text != "NaN" else {
      self = .nan
      return
    }
    // Foundation reads the number that a text begins with; all of it must be one.
    let digits = text.hasPrefix("-") ? text.utf8.dropFirst() : text.utf8[...]
    guard !digits.isEmpty, digits.first.map(Self.isDigit) == true, text.utf8.count <= 400,
      digits.allSatisfy({ Self.isDigit($0) || $0 == UInt8(ascii: ".") }),
      digits.count(where: { $0 == UInt8(ascii: ".") }) <= 1,
      digits.last.map(Self.isDigit) == true
    else { return nil }
    self.init(string: text)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
