import Testing

@testable import LogStoreCommands

@Suite("A progress line fits its terminal")
struct ProgressLineTests {
  private func line(
    completed: UInt64 = 500, total: UInt64? = 1000, objects: UInt64 = 1000, seconds: Int = 2
  ) -> ProgressLine {
    ProgressLine(
      title: "Importing",
      progress: Progress(completed: completed, total: total, objectCount: objects),
      start: Progress(completed: 0, total: total, objectCount: 0), elapsed: .seconds(seconds))
  }

  @Test("A wide line has bar, percentage, count, rate and time left")
  func wide() {
    #expect(
      line().text(width: 80)
        == "Importing  [=============>             ]   50%  1,000 objects  500/s  2.0 s left")
  }

  @Test("Without a total there is no bar and no time left")
  func unknownTotal() {
    #expect(line(total: nil).text(width: 80) == "Importing  1,000 objects  500/s")
  }

  @Test("At the end the bar is full and no time is left")
  func complete() {
    let text = line(completed: 1200).text(width: 60)
    #expect(text == "Importing  [===================]  100%  1,000 objects  500/s")
  }

  @Test("At the start nothing is known of the rate")
  func start() {
    let text = line(completed: 0, objects: 0, seconds: 0).text(width: 50)
    #expect(text == "Importing  [>                   ]    0%  0 objects")
  }

  @Test("No width is exceeded", arguments: 0...120)
  func width(width: Int) {
    #expect(line().text(width: width).count <= width)
    #expect(line(completed: 1, objects: .max).text(width: width).count <= width)
  }
}
