import Testing

@testable import LogStoreCommands

@Suite("Exit codes are a promise to scripts")
struct ExitStatusTests {
  @Test("The codes are those that are documented")
  func codes() {
    #expect(
      Dictionary(uniqueKeysWithValues: ExitStatus.allCases.map { ("\($0)", $0.rawValue) }) == [
        "success": 0, "notFound": 1, "corruption": 2, "storeInUse": 3, "inputOutput": 4,
        "newerFormat": 5, "migration": 7, "usage": 64,
      ])
  }
}
