import BinaryCoding
import Testing

@Suite("A decoding error")
struct BinaryDecodingErrorTests {
  @Test(
    "says what is wrong and where",
    arguments: [
      (
        BinaryDecodingError.endOfBytes(offset: 3, needed: 8, available: 2),
        "the bytes end too early: 8 needed at offset 3, 2 left"
      ),
      (.integerOutOfRange(offset: 1), "the integer at offset 1 is out of range"),
      (.invalidUTF8(offset: 4), "the text at offset 4 is not valid UTF-8"),
      (
        .invalidValue(offset: 5, reason: "no such kind"),
        "the value at offset 5 is invalid: no such kind"
      ),
      (.trailingBytes(offset: 6, count: 2), "2 bytes are left over at offset 6"),
    ])
  func sentences(_ error: BinaryDecodingError, _ sentence: String) {
    #expect(error.description == sentence)
  }
}
