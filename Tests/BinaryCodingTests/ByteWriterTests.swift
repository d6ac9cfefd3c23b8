import BinaryCoding
import Testing

@Suite("The byte writer")
struct ByteWriterTests {
  @Test("grows, keeps its bytes, is cut and emptied")
  func growth() {
    var writer = ByteWriter(capacity: 0)
    for index in 0..<1000 { writer.writeByte(UInt8(truncatingIfNeeded: index)) }
    writer.writeBytes([UInt8](repeating: 7, count: 100_000))
    #expect(writer.count == 101_000)
    let bytes = writer.array()
    #expect(bytes[..<1000].elementsEqual((0..<1000).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(bytes[1000...].allSatisfy { $0 == 7 })
    writer.truncate(to: 2)
    #expect(writer.array() == [0, 1])
    writer.removeAll()
    #expect(writer.count == 0)
    #expect(writer.array() == [])
  }

  @Test("bytes written earlier can be patched")
  func patching() {
    var writer = ByteWriter()
    writer.writeZeros(3)
    writer.mutableBytes[1] = 9
    #expect(writer.array() == [0, 9, 0])
  }

  @Test("zeros really are zeros, also where other bytes were before")
  func zeros() {
    var writer = ByteWriter(capacity: 64)
    writer.writeBytes([UInt8](repeating: 0xFF, count: 64))
    writer.removeAll()
    writer.writeZeros(64)
    writer.writeZeros(0)
    writer.writeZeros(-1)
    #expect(writer.array() == [UInt8](repeating: 0, count: 64))
  }

  @Test("a closure fills reserved room and says how much it used")
  func appending() {
    var writer = ByteWriter(capacity: 0)
    writer.writeByte(1)
    writer.append(capacity: 100) { room in
      #expect(room.count == 100)
      room[0] = 2
      room[1] = 3
      return 2
    }
    #expect(writer.array() == [1, 2, 3])
  }

  @Test("a closure that throws leaves nothing")
  func appendingFails() {
    var writer = ByteWriter()
    do throws(BinaryDecodingError) {
      try writer.append(capacity: 10) { room throws(BinaryDecodingError) in
        room[0] = 2
        throw .integerOutOfRange(offset: 0)
      }
      Issue.record("the error of the closure was lost")
    } catch {
      #expect(error == .integerOutOfRange(offset: 0))
    }
    #expect(writer.count == 0)
  }

  @Test("text is written as UTF-8 with its byte count")
  func text() {
    var writer = ByteWriter()
    writer.writeString("é")
    writer.writeString("")
    #expect(writer.array() == [2, 0xC3, 0xA9, 0])
  }
}
