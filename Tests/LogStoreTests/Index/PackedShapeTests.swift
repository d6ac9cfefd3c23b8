import BinaryCoding
import Testing

@testable import LogStore

@Suite struct PackedShapeTests {
  private static let people = CollectionIdentifier(1)

  @Test("A guess by the page itself leads to the key, and one look-up in eight notes a page")
  func guessesLeadToKeys() throws {
    var noted = 0
    for seed in UInt64(1)...8 {
      let model = PagePackingTests.model(seed: seed, count: 800, keyLength: 8)
      let run = try MergedRunTests.open(try MergedRunTests.write(model))
      let memory = try #require(run.memory)
      for key in model.keys {
        let place = try #require(try Self.place(of: key, in: run))
        let position = place % RunFormat.unit
        let start = run.format.headerByteCount + place - position
        let page = UnsafeRawBufferPointer(rebasing: memory[start..<(start + RunFormat.unit)])
        let before = run.guessedOffset(at: place)
        run.packedShape.note(page, at: 3)
        #expect(run.guessedOffset(at: place) == before)
        run.packedShape.note(page, at: 8)
        guard RunPage.offsetInPacked(page, at: 0) != nil,
          let packing = PagePacking(page, at: RunPage.mergedHeaderByteCount)
        else { continue }
        noted += 1
        let guess = try #require(run.guessedOffset(at: place))
        let found = memory[guess..<(guess + packing.suffixByteCount)]
        if !found.elementsEqual(key.suffix(packing.suffixByteCount)) {
          Issue.record("seed \(seed), key \(key)")
        }
      }
    }
    #expect(noted > 0)
  }

  @Test("What lies behind the end of a packed page is not guessed")
  func guessesStayInThePage() throws {
    let model = PagePackingTests.model(seed: 3, count: 800, keyLength: 8)
    let run = try MergedRunTests.open(try MergedRunTests.write(model))
    let memory = try #require(run.memory)
    #expect(run.guessedOffset(at: 0) == nil)
    let start = run.format.headerByteCount
    run.packedShape.note(
      UnsafeRawBufferPointer(rebasing: memory[start..<(start + RunFormat.unit)]), at: 0)
    #expect(run.guessedOffset(at: 0) != nil)
    #expect(run.guessedOffset(at: RunFormat.unit - 1) == nil)
  }

  /// What the locator says of a key that is there: the first place whose key it is.
  private static func place(of key: [UInt8], in run: IndexRun) throws -> Int? {
    let (hash, expected) = try key.withUnsafeBytes { bytes in
      let hash = RunFilter.hash(people, bytes)
      return (hash, try run.find(IndexKey(people, bytes), hash: hash))
    }
    let part = RunLocator.part(of: hash, partCount: run.partCount)
    return try run.withPart(part) { (part) throws(RunDamage) in
      var search = RunLocator.Search(hash)
      while let place = search.next(in: part) {
        let found = try key.withBytes { (bytes: UnsafeRawBufferPointer) throws(RunDamage) in
          try run.find(IndexKey(people, bytes), atPlace: place)
        }
        if found == expected { return place }
      }
      return nil
    }
  }
}
