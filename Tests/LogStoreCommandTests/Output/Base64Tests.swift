import Foundation
import Testing

@testable import LogStoreCommands

@Suite("Bytes become base64 text")
struct Base64Tests {
  @Test(
    "The examples of RFC 4648, section 10",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func examples(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
  }

  @Test("Every byte at every position is encoded as Foundation does")
  func everyByte() {
    for shift in 0..<3 {
      let bytes = [UInt8](repeating: 0xA5, count: shift) + (0...255).map { UInt8($0) }
      #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }

  @Test(
    "Texts that are not base64 with padding are refused",
    arguments: ["Z", "Zg", "Zg=", "Zg===", "Z===", "Zm9*", "Zm=v", "Zh==", "Zm9v\n", "Zm9-"])
  func refused(text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
