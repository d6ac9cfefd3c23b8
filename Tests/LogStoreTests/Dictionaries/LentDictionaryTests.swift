import BinaryCoding
import Dispatch
import StorageTestSupport
import Synchronization
import Testing

@testable import LogStore

@Suite struct LentDictionaryTests {
  private typealias Samples = DictionaryCompressionTests

  /// What a dictionary makes of a block, by a window and without one.
  private static func both(
    _ block: [UInt8], _ byteCount: Int, _ dictionary: LentDictionary
  ) -> (byWindow: [UInt8]?, without: [UInt8]?) {
    block.withUnsafeBytes { stored in
      var target = [UInt8](repeating: 0xEE, count: byteCount)
      let byWindow = target.withUnsafeMutableBytes { dictionary.decompress(stored, to: $0) }
      var other = [UInt8](repeating: 0xEE, count: byteCount)
      let without = other.withUnsafeMutableBytes {
        dictionary.decompressWithoutWindow(stored, to: $0)
      }
      return (byWindow ? target : nil, without ? other : nil)
    }
  }

  @Test(
    "P7: a window gives what LZ4 gives without one, up to the largest payload it has room for",
    arguments: [1, 100, 4096, 60_000, 64 << 10])
  func windowsAgree(dictionaryByteCount: Int) {
    var generator = SeededGenerator(seed: 41)
    let dictionary = Samples.dictionary(
      Samples.payload(dictionaryByteCount, using: &generator))
    let state = CompressionState.make()
    let room = LentDictionary.roomByteCount
    var blockCount = 0
    for byteCount in [1, 16, 63, 64, 65, 200, 4000, room - 1, room, room + 1, 40_000] {
      for _ in 0..<10 {
        let payload = Samples.payload(byteCount, using: &generator)
        for block in Samples.blocks(payload, dictionary, state) {
          blockCount += 1
          let (byWindow, without) = Self.both(block, byteCount, dictionary.lent)
          #expect(byWindow == payload, "\(byteCount)")
          #expect(without == payload, "\(byteCount)")
        }
      }
    }
    #expect(blockCount > 80)
  }

  @Test("P6: a window makes of damaged blocks what is made of them without one")
  func damagedBlocksAgree() {
    var generator = SeededGenerator(seed: 42)
    let dictionary = Samples.dictionary(Samples.payload(9000, using: &generator))
    let state = CompressionState.make()
    var accepted = 0
    for _ in 0..<4000 {
      let payload = Samples.payload(Int.random(in: 1...500, using: &generator), using: &generator)
      guard var block = Samples.blocks(payload, dictionary, state).first else { continue }
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        block[Int.random(in: 0..<block.count, using: &generator)] = UInt8.random(
          in: .min ... .max, using: &generator)
      }
      let (byWindow, without) = Self.both(block, payload.count, dictionary.lent)
      #expect(byWindow == without)
      if without != nil { accepted += 1 }
    }
    #expect(accepted > 100)
  }

  @Test("Whether a block is right does not depend on who found a window, or on the payload's size")
  func blocksWithALateMatch() {
    let dictionary = Samples.dictionary([UInt8](0..<200))
    // A literal, a match of four, five literals: LZ4 begins no match in the last twelve bytes.
    let block: [UInt8] = [0x10, 77, 20, 0, 0x50, 1, 2, 3, 4, 5]
    let payload: [UInt8] = [77, 181, 182, 183, 184, 1, 2, 3, 4, 5]
    #expect(!Samples.isStrict(block, of: payload, dictionary))
    let (byWindow, without) = Self.both(block, payload.count, dictionary.lent)
    #expect(byWindow == payload)
    #expect(without == payload)
  }

  @Test("A window has one user at a time, and whoever finds none free decompresses all the same")
  func nestedUse() throws {
    var generator = SeededGenerator(seed: 43)
    let dictionary = Samples.dictionary(Samples.payload(5000, using: &generator))
    let payload = Samples.payload(300, using: &generator)
    let block = try #require(Samples.blocks(payload, dictionary, .make()).first)
    var rooms: Set<UnsafeMutableRawPointer> = []
    func descend() {
      #expect(Self.both(block, payload.count, dictionary.lent).byWindow == payload)
      _ = dictionary.lent.withRoom { room in
        #expect(rooms.insert(room).inserted)
        descend()
      }
    }
    descend()
    #expect((2...LentDictionary.windowCount).contains(rooms.count))
    #expect(Self.both(block, payload.count, dictionary.lent).byWindow == payload)
  }

  @Test("Threads that decompress against one dictionary do not disturb each other")
  func manyThreads() {
    var generator = SeededGenerator(seed: 44)
    let dictionary = Samples.dictionary(Samples.payload(20_000, using: &generator))
    let state = CompressionState.make()
    let samples: [(block: [UInt8], payload: [UInt8])] = (0..<64).compactMap { _ in
      let payload = Samples.payload(Int.random(in: 50...900, using: &generator), using: &generator)
      return Samples.blocks(payload, dictionary, state).first.map { ($0, payload) }
    }
    #expect(samples.count > 32)
    let wrong = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 12) { thread in
      for round in 0..<4000 {
        let (block, payload) = samples[(round * 7 + thread * 5) % samples.count]
        let found = block.withUnsafeBytes {
          RecordCompression.decompress($0, rawLength: payload.count, against: dictionary.lent)
        }
        if found != payload { wrong.wrappingAdd(1, ordering: .relaxed) }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }
}
