import FileIO
import Testing

@testable import LogStoreCommands

@Suite("A progress bar is drawn on terminals only")
struct ProgressBarTests {
  private final class Clock {
    var now = ContinuousClock.now
  }

  private func bar(_ output: MemoryOutput, _ clock: Clock, width: Int?) -> ProgressBar {
    ProgressBar(title: "T", output: output, columnCount: { width }, now: { clock.now })
  }

  private let progress = Progress(completed: 1, total: nil, objectCount: 7)

  @Test("Nothing is written where there is no terminal")
  func noTerminal() {
    let output = MemoryOutput()
    let bar = bar(output, Clock(), width: nil)
    bar.update(progress)
    bar.finish()
    #expect(output.bytes.isEmpty)
  }

  @Test("Whether there is a terminal is asked ten times a second, and not for each object")
  func questions() {
    for width in [nil, 20] {
      let clock = Clock()
      var count = 0
      let bar = ProgressBar(
        title: "T", output: MemoryOutput(),
        columnCount: {
          count += 1
          return width
        }, now: { clock.now })
      for _ in 0..<1000 {
        bar.update(progress)
        clock.now += .milliseconds(1)
      }
      #expect(count == 10, "\(count) with \(width as Int?)")
      let before = count
      bar.finish()
      #expect(count == (width == nil ? before : before + 1))
      // What comes next is drawn at once.
      bar.update(progress)
      #expect(count == (width == nil ? before + 1 : before + 2))
    }
  }

  @Test("The line is redrawn at most ten times a second and cleared at the end")
  func drawing() {
    let output = MemoryOutput()
    let clock = Clock()
    let bar = bar(output, clock, width: 20)
    bar.update(progress)
    #expect(output.text == "\rT  7 objects       ")
    clock.now += .milliseconds(99)
    bar.update(progress)
    #expect(output.writeCount == 1)
    clock.now += .milliseconds(1)
    bar.update(progress)
    #expect(output.writeCount == 2)
    bar.finish()
    #expect(output.text.hasSuffix("\r" + String(repeating: " ", count: 19) + "\r"))
    bar.finish()
    #expect(output.writeCount == 3)
  }

  @Test("Rate and time left are those of the work since its first progress, not of what was there")
  func rate() {
    let output = MemoryOutput()
    let clock = Clock()
    let bar = bar(output, clock, width: 100)
    func update(_ completed: UInt64, isInBytes: Bool = false) -> String? {
      bar.update(
        Progress(
          completed: completed, total: 1000, objectCount: completed, isInBytes: isInBytes))
      return output.text.split(separator: "\r").last.map(String.init)
    }
    clock.now += .seconds(60)
    #expect(update(900)?.contains("/s") == false)
    clock.now += .seconds(1)
    #expect(update(901)?.contains("901 objects  1/s  1 min 39 s left") == true, "\(output.text)")
    // Other units are other work, and so is what begins anew.
    clock.now += .seconds(100)
    #expect(update(902, isInBytes: true)?.contains("/s") == false, "\(output.text)")
    clock.now += .seconds(2)
    #expect(
      update(904, isInBytes: true)?.contains("1 B/s  1 min 36 s left") == true, "\(output.text)")
    clock.now += .seconds(1)
    #expect(update(0)?.contains("/s") == false)
    clock.now += .seconds(1)
    #expect(update(10)?.contains("10/s  1 min 39 s left") == true, "\(output.text)")
  }

  @Test("What turns out to be more than was expected does not begin anew")
  func growingTotal() {
    let output = MemoryOutput()
    let clock = Clock()
    let bar = bar(output, clock, width: 100)
    for number in UInt64(0)..<10 {
      bar.update(
        Progress(completed: number * 10, total: 100 + number, objectCount: number * 10))
      clock.now += .seconds(1)
    }
    #expect(output.text.split(separator: "\r").last?.contains("  10/s  ") == true, "\(output.text)")
  }

  @Test("A terminal that fails does not disturb the command")
  func failingTerminal() {
    let bar = bar(MemoryOutput(failure: (.ioError, 0)), Clock(), width: 20)
    bar.update(progress)
    bar.finish()
  }
}
