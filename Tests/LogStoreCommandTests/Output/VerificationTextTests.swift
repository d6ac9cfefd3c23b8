import ObjectStore
import SchemaRegistry
import Testing

@testable import LogStore
@testable import LogStoreCommands

@Suite("What verify tells people of damage is true of the file that it names")
struct VerificationTextTests {
  static func lines(_ damage: CorruptionReport) -> [String] {
    var report = VerificationReport()
    report.rebuildable = [damage]
    return VerificationText(
      path: "/s", log: report, objects: ObjectCheck(), duration: .seconds(1)
    ).lines
  }

  @Test("More unreadable objects than are listed are counted")
  func unlisted() throws {
    var objects = ObjectCheck()
    for _ in 0..<ObjectCheck.problemCountMaximum + 2 {
      objects.add(.schema(.malformedPayload(type: "Note", keyText: "1", reason: "r")))
    }
    let text = VerificationText(
      path: "/s", log: VerificationReport(), objects: objects, duration: .seconds(1))
    #expect(text.lines.contains("UNREADABLE: 2 more objects"))
    #expect(text.report["unreadableCount"] == .integer(1002))
    #expect(text.lines.count { $0.hasPrefix("UNREADABLE: ") } == 1001)
  }

  @Test("Records that nothing describes have one sentence for each type, and are counted once")
  func undescribed() {
    var objects = ObjectCheck()
    func text() -> VerificationText {
      VerificationText(
        path: "/s", log: VerificationReport(), objects: objects, duration: .seconds(1))
    }
    objects.addUndescribed("Note", recordCount: 5)
    objects.addUndescribed("Page", recordCount: 0)
    #expect(text().lines.count { $0.hasPrefix("UNREADABLE: ") } == 2)
    #expect(!text().lines.contains { $0.contains("more objects") })
    #expect(text().report["unreadableCount"] == .integer(5))
    #expect(!text().isIntact)
    // Where the list is full they are counted only, as all others are.
    for _ in 0..<ObjectCheck.problemCountMaximum {
      objects.add(.schema(.malformedPayload(type: "Note", keyText: "1", reason: "r")))
    }
    objects.addUndescribed("Page", recordCount: 3)
    #expect(objects.problems.count == ObjectCheck.problemCountMaximum)
    #expect(text().lines.contains("UNREADABLE: 5 more objects"))
    #expect(text().report["unreadableCount"] == .integer(1008))
  }

  @Test("What the bytes told is told, too, where the objects could not be decoded")
  func undecoded() {
    let console = Console(output: MemoryOutput(), errors: MemoryOutput()) { MemoryInput("") }
    let bar = console.progressBar("Verifying", json: true)
    let objects = ObjectCheck.check("/nowhere/at/all", bar: bar)
    #expect(objects.failure?.status == .inputOutput)
    var report = VerificationReport()
    report.rebuildable = [CorruptionReport(file: "segment-00000001.log", offset: 8, reason: "r")]
    let text = VerificationText(path: "/s", log: report, objects: objects, duration: .seconds(1))
    #expect(text.lines.first?.hasPrefix("DAMAGED, but rebuilt") == true)
    #expect(text.lines.contains { $0.hasPrefix("Note: Not all objects were decoded: ") })
  }

  @Test("An index is rebuilt; what a copy says of itself is not, and has a remedy")
  func rebuildable() {
    let index = CorruptionReport(file: "segment-00000001.log", offset: 8, reason: "r")
    #expect(
      Self.lines(index).first
        == "DAMAGED, but rebuilt from the records: segment-00000001.log at offset 8: r")
    var record = CorruptionReport(file: "BACKUP", offset: 0, reason: "r")
    record.remedy = "Do it again"
    #expect(
      Self.lines(record).first
        == "DAMAGED, but no object is read from it: BACKUP at offset 0: r. Do it again")
    #expect(Self.lines(record).last?.hasPrefix("/s is damaged:") == true)
  }
}
