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
