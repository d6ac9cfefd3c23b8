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

  @Test("A terminal that fails does not disturb the command")
  func failingTerminal() {
    let bar = bar(MemoryOutput(failure: (.ioError, 0)), Clock(), width: 20)
    bar.update(progress)
    bar.finish()
  }
}
