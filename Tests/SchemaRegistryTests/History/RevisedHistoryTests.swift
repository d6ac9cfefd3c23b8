import SchemaRegistry
import Testing

/// Histories whose code was mended under a raised revision, before and after they are squashed.
@Suite("Raised revisions and squashed histories")
struct RevisedHistoryTests {
  private func history(
    _ revision: UInt32, later: UInt32 = 1, removed: FieldType = .string
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
          Derive("label", from: "name", revision: revision) { (name: String) in name }
        }
      }
      Version(2) { On("Person") { Remove("old") } }
      Version(3) {
        On("Person") { Derive("more", from: "name", revision: later) { (name: String) in name } }
      }
    }
  }

  @Test("R8, H15: raised and then squashed is no edit, whenever the store met which version")
  func squashed() throws {
    for recorded in 1...3 as ClosedRange<UInt32> {
      var ledger = history(recorded).ledger(through: 2)
      // The last version was met when the revision was raised already.
      ledger[3] = history(max(recorded, 2)).ledger(through: 3)[3]
      let now = history(3)
      #expect(now.comparison(with: ledger).edited == [])
      for floor in 1...3 as ClosedRange<UInt64> {
        let squashed = try now.squashed(floor: SchemaVersion(floor))
        #expect(squashed.comparison(with: ledger).edited == [], "\(recorded), floor \(floor)")
        let read = try HistoryFiles.read(HistoryFiles.write(squashed))
        #expect(read.comparison(with: ledger).edited == [], "\(recorded), floor \(floor)")
        let again = try squashed.squashed(floor: 3)
        #expect(again.comparison(with: ledger).edited == [], "\(recorded), floor \(floor)")
      }
    }
  }

  @Test("R8, H14: a raised revision does not hide that something else was edited")
  func edited() throws {
    let ledger = history(1).ledger(through: 3)
    let other = history(2, removed: .int64)
    #expect(other.comparison(with: ledger).edited == ["v1"])
    #expect(other.comparison(with: ledger).revised == ["v1/Person/1"])
    let squashed = try other.squashed(floor: 1)
    #expect(squashed.comparison(with: ledger).edited.first == "base 1")
    // In a version that the store did not meet, between two that it met.
    var gap = history(1).ledger(through: 3)
    gap[1] = nil
    #expect(history(1, later: 2, removed: .int64).comparison(with: gap).edited == ["v2"])
  }

  @Test("Revisions that are dates are compared as far as that can be told")
  func dates() throws {
    let ledger = history(20_240_101).ledger(through: 3)
    let now = history(20_250_601)
    #expect(now.comparison(with: ledger).edited == [])
    let first = history(1).ledger(through: 3)
    #expect(now.comparison(with: first).edited == [])
    #expect(try now.squashed(floor: 2).comparison(with: first).edited == [])
  }

  @Test("Nothing is written for histories whose revisions were never raised")
  func unchanged() throws {
    let text = try HistoryFiles.write(try history(1).squashed(floor: 2))
    #expect(!text.contains("ormerFingerprints"))
    #expect(!text.contains("removedTypes"))
  }

  private func long(_ revision: UInt32, raised: UInt32? = nil, removed: FieldType = .string)
    -> SchemaHistory
  {
    SchemaHistory(
      base: Base(0) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("name", .string)
          Field("old", removed)
        }
      },
      versions: (1...40).map { number in
        Version(SchemaVersion(UInt64(number))) {
          On("Person") {
            Derive(
              "m\(number)", from: "name", revision: number == 7 ? raised ?? revision : revision
            ) { (name: String) in name }
          }
        }
      })
  }

  @Test(
    "Histories of many versions with high revisions are compared and squashed at once",
    arguments: [2, 17, 20_240_101] as [UInt32])
  func many(revision: UInt32) throws {
    let ledger = long(revision).ledger(through: 40)
    let raised = long(revision, raised: revision + 1)
    #expect(raised.comparison(with: ledger).edited == [])
    #expect(raised.comparison(with: ledger).revised == ["v7/Person/1"])
    let edited = long(revision, raised: revision + 1, removed: .int64)
    #expect(edited.comparison(with: ledger).edited == ["v1"])
    let squashed = try raised.squashed(floor: 30)
    #expect(squashed.base.formerFingerprints.count <= 520)
    #expect(squashed.comparison(with: ledger).edited == [])
    // All were raised at once.
    let first = long(1).ledger(through: 40)
    let all = try long(revision).squashed(floor: 30)
    #expect(all.base.formerFingerprints.count <= 520)
    #expect(all.comparison(with: first).edited == [])
    #expect(long(revision).comparison(with: first).edited == [])
  }

  @Test("Six revisions that were raised one after the other and squashed", arguments: 1...9)
  func several(count: Int) throws {
    func history(_ raised: Int, _ revision: UInt32) -> SchemaHistory {
      SchemaHistory(
        base: Base(0) {
          Type("Person", key: "id") {
            Field("id", .int64)
            Field("name", .string)
          }
        },
        versions: (1...12).map { number in
          Version(SchemaVersion(UInt64(number))) {
            On("Person") {
              Derive("m\(number)", from: "name", revision: number <= raised ? revision : 1) {
                (name: String) in name
              }
            }
          }
        })
    }
    for revision in [2, 3] as [UInt32] {
      let squashed = try history(count, revision).squashed(floor: 12)
      let first = history(0, 1).ledger(through: 12)
      #expect(squashed.comparison(with: first).edited == [], "revision \(revision)")
      let last = history(count, revision).ledger(through: 12)
      #expect(squashed.comparison(with: last).edited == [])
    }
  }

  @Test("A revision that was 0 and is raised is no edit")
  func fromZero() throws {
    for raised in [1, 2, 5] as [UInt32] {
      #expect(history(raised).comparison(with: history(0).ledger(through: 3)).edited == [])
    }
  }

  @Test("A base with any number of former fingerprints costs what a bounded number does")
  func manyGiven() throws {
    let base = try history(2).squashed(floor: 1).base
    let given = (1...100_000 as ClosedRange<UInt64>).map { ShapeFingerprint(high: 7, low: $0) }
    let squashed = SchemaHistory(
      base: Base(
        version: base.version, types: base.types, fingerprint: base.fingerprint,
        formerFingerprints: given),
      versions: [])
    #expect(try squashed.squashed(floor: 1).base.formerFingerprints.count <= 5000)
  }
}
