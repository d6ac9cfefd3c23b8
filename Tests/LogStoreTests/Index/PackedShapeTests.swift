import BinaryCoding
import Testing

@testable import LogStore

@Suite struct PackedShapeTests {
  @Test("A page that was noted tells where each key of a page that is packed alike begins")
  func guessesAreRight() throws {
    var noted = 0
    for seed in UInt64(1)...8 {
      let model = PagePackingTests.withoutOrdinals(
        PagePackingTests.model(seed: seed, count: 800, keyLength: 8))
      let run = try PagePackingTests.footer(model, packs: true)
      let shape = PackedShape()
      #expect(shape.offset(ofKeyAt: 0) == nil)
      for page in 0..<run.directory.pageCount {
        try run.withPage(at: page) { (bytes) throws(RunDamage) in
          // Not each position notes.
          shape.note(bytes, at: 3)
          #expect(page > 0 || shape.offset(ofKeyAt: 3) == nil)
          shape.note(bytes, at: 8)
          guard RunPage.offsetInPacked(bytes, at: 0) != nil else { return }
          noted += 1
          for position in 0..<5 {
            #expect(
              shape.offset(ofKeyAt: position) == RunPage.offsetInPacked(bytes, at: position),
              "seed \(seed), page \(page)")
          }
        }
      }
    }
    #expect(noted > 0)
  }
}
