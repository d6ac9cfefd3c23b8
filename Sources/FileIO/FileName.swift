/// The name of a plain file inside a store's directory; never a path.
///
/// ASCII letters, digits, `-`, `_` and `.`, 1 to 100 characters, not starting with `.`. Names read
/// from disk go through the failable initialiser, so a manifest can never name a path.
public struct FileName: Hashable, Sendable, CustomStringConvertible {
  public let description: String

  /// Nothing when `text` is not a valid name.
  public init?(_ text: String) {
    guard (1...100).contains(text.utf8.count), text.utf8.first != UInt8(ascii: ".") else {
      return nil
    }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        continue
      default: return nil
      }
    }
    description = text
  }
}
