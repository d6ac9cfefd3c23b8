import SchemaRegistry
import Testing

/// What a squashed history remembers of the versions that it has no more.
@Suite("Squashed histories")
struct SquashedHistoryTests {
  @Test("A history with gaps keeps being one")
  func gaps() throws {
    let base = Base(0) { Type("T", key: "id") { Field("id", .int64) } }
    let history = SchemaHistory(
      base: base,
      versions: [
        Version(3) { On("T") { Add("a", .optional(.string)) } },
        Version(7) { On("T") { Add("b", .optional(.string)) } },
      ], allowsGaps: true)
    #expect(history.issues == [])
    let squashed = try history.squashed(floor: 3)
    #expect(squashed.issues == [])
    #expect(try squashed.shape(at: 7) == history.shape(at: 7))
  }

  @Test("Versions that a history does not have cannot be asked for compatibility")
  func unknownVersions() throws {
    let history = SchemaHistory {
      Base(2) { Type("T", key: "id") { Field("id", .int64) } }
      Version(3) { RemoveType("T") }
    }
    for version in [0, 1, 4, 99] as [SchemaVersion] {
      #expect(throws: SchemaError.unknownVersion(version: version, oldest: 2, latest: 3)) {
        try history.check(.forward, since: version)
      }
    }
    #expect(try history.check(.forward, since: 2).count == 1)
    #expect(try history.check(.forward, since: 3) == [])
  }

  @Test("The types that are gone are in the file of a squashed history, by what they were")
  func removedTypes() throws {
    let history = SchemaHistory {
      Base(0) {
        Type("A", key: "id") { Field("id", .int64) }
        Type("B", key: "id") { Field("id", .int64) }
      }
      Version(1) {
        RenameType("A", to: "C")
        RemoveType("B")
      }
      Version(2) {
        RemoveType("C")
        Type("B", key: "id") { Field("id", .int64) }
      }
      Version(3) { RemoveType("B") }
    }
    let (a, b) = (
      TypeIdentity(introducedIn: 0, originalName: "A"),
      TypeIdentity(introducedIn: 0, originalName: "B")
    )
    let later = TypeIdentity(introducedIn: 2, originalName: "B")
    #expect(try history.squashed(floor: 0).base.removedTypes == [])
    let squashed = try history.squashed(floor: 2)
    #expect(squashed.base.removedTypes == [a, b])
    let read = try HistoryFiles.read(HistoryFiles.write(squashed))
    #expect(read.base == squashed.base)
    #expect(try read.squashed(floor: 3).base.removedTypes == [a, b, later])
    #expect(!read.isForeign(a) && !read.isForeign(later))
    let text = try HistoryFiles.write(squashed)
    let damaged = text.replacing(
      #""introducedIn":0,"originalName":"A""#, with: #""introducedIn":0"#)
    #expect(damaged != text)
    #expect(throws: SchemaError.self) { try HistoryFiles.read(damaged) }
  }
}
