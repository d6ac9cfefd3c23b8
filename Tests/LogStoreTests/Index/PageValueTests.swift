import BinaryCoding
import StorageTestSupport
import Testing

@testable import LogStore

/// Keys and values of pages are read two ways: with few instructions, and with every byte checked.
@Suite struct PageValueTests {
  /// What a page holds at a position; nothing when it cannot be read.
  private struct Found: Equatable {
    let suffix: [UInt8]
    let value: IndexValue

    init(_ found: (suffix: UnsafeRawBufferPointer, value: IndexValue)) {
      suffix = [UInt8](found.suffix)
      value = found.value
    }
  }

  /// The positions of a page at which the two ways differ.
  private static func differences(_ page: RunPage) -> [Int] {
    (0..<page.count).filter { position in
      let quick = try? Found(page.suffixAndValue(at: position))
      return quick != (try? Found(page.checkedSuffixAndValue(at: position)))
    }
  }

  private static func pages(of run: IndexRun) throws -> [[UInt8]] {
    try (0..<run.directory.pageCount).map { number in
      try run.withPage(at: number) { [UInt8]($0) }
    }
  }

  @Test(
    "every key is read the same both ways, in whole pages and in damaged ones", arguments: 1...4)
  func bothWaysAgree(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let model = MergedRunTests.model(seed: UInt64(seed), count: 3000)
    let merged = try MergedRunTests.open(try MergedRunTests.write(model))
    let footer = try IndexRunTests.open(IndexRunTests.make(seed: UInt64(seed), count: 2000).run)
    var wrong: [String] = []
    var keyCount = 0
    for run in [merged, footer] {
      for (number, bytes) in try Self.pages(of: run).enumerated() {
        for round in 0..<12 {
          var bytes = bytes
          // Behind the header, so that what differs are keys and values.
          for _ in 0..<round {
            let position = Int.random(in: 24..<bytes.count, using: &generator)
            bytes[position] = .random(in: 0...255, using: &generator)
          }
          let differences = try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws in
            // Damage may be to what says how a page is packed.
            guard let page = try? RunPage(bytes, format: run.header.format) else { return [] }
            keyCount += page.count
            return Self.differences(page)
          }
          if !differences.isEmpty { wrong.append("page \(number), round \(round): \(differences)") }
        }
      }
    }
    #expect(wrong.isEmpty, "seed \(seed)")
    #expect(keyCount > 50_000)
  }
}
