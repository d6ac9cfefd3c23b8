import BinaryCoding
import SchemaRegistry
import StorageTestSupport
import Testing

@Suite("The ledger of operations")
struct LedgerTests {
  private func history(
    _ value: Value = 0, revision: UInt32 = 1, removed: FieldType = .string
  ) -> SchemaHistory {
    SchemaHistory {
      Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("name", .string)
          Field("old", removed)
        }
      }
      Version(1) {
        On("Person") {
          Add("score", .int64, default: value)
          Derive("label", from: "name", revision: revision) { (name: String) in name }
        }
      }
      Version(2) { On("Person") { Remove("old") } }
    }
  }

  @Test("R8: an edited default is an edit, a raised revision is a revision, a lowered one an edit")
  func edits() {
    let ledger = history(revision: 2).ledger(through: 2)
    #expect(history(revision: 2).comparison(with: ledger) == LedgerComparison())
    let edited = history(7, revision: 2).comparison(with: ledger)
    #expect(edited.edited == ["v1/Person/1"])
    #expect(edited.revised == [])
    let revised = history(revision: 3).comparison(with: ledger)
    #expect(revised.edited == [])
    #expect(revised.revised == ["v1/Person/2"])
    #expect(history(revision: 1).comparison(with: ledger).edited == ["v1/Person/2"])
  }

  @Test("H14: two builds that disagree on what was before a version are told apart")
  func pasts() {
    // The same operations, but the member that is gone since was another one.
    let other = history(removed: .int64)
    #expect(other.ledger(through: 2)[2]?.operations == history().ledger(through: 2)[2]?.operations)
    #expect(other.comparison(with: history().ledger(through: 2)).edited == ["v1"])
  }

  @Test("H14, H15: a squashed history agrees with the ledger of the whole one, another does not")
  func squashed() throws {
    let ledger = history().ledger(through: 2)
    #expect(try history().squashed(floor: 1).comparison(with: ledger) == LedgerComparison())
    #expect(try history(7).squashed(floor: 1).comparison(with: ledger).edited.first == "base 1")
  }

  @Test("Entries come back from their bytes; every truncation and most flips are refused")
  func coding() throws {
    for entry in history().ledger(through: 2).values {
      let bytes = entry.encoded()
      #expect(
        try bytes.withBytes { (bytes) throws(BinaryDecodingError) in
          try RecordedVersion(decoding: bytes)
        } == entry)
      var accepted = 0
      for length in 0..<bytes.count {
        let cut = Array(bytes[..<length])
        let entry = cut.withUnsafeBytes { try? RecordedVersion(decoding: $0) }
        if entry != nil { accepted += 1 }
      }
      #expect(accepted == 0)
      for index in bytes.indices {
        var flipped = bytes
        flipped[index] ^= 0x80
        let other = flipped.withUnsafeBytes { try? RecordedVersion(decoding: $0) }
        if other == entry { Issue.record("byte \(index) is not looked at") }
      }
    }
  }
}
