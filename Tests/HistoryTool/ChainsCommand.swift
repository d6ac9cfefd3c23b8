import ArgumentParser
import FileIO
import HistoryTestSupport
import StorageTestSupport

/// Random histories: fused to one pass they must give what one version after the other gives.
struct ChainsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chains", abstract: "Compares fused plans with stepwise upgrades.")

  @Argument(help: "How many histories, at least.")
  var count = 100_000

  @Option(help: "The first seed; the others follow it.")
  var seed: UInt64 = 1

  @Option(help: "Threads; each takes seeds of its own.")
  var threads = 2

  /// Histories of one seed.
  private static let countPerSeed = 500

  mutating func validate() throws {
    guard threads > 0, count > 0 else {
      throw ValidationError("COUNT and --threads must be at least 1")
    }
  }

  mutating func run() throws {
    let clock = ContinuousClock()
    let start = clock.now
    let (first, threads) = (seed, UInt64(threads))
    let seedCount = UInt64((count + Self.countPerSeed - 1) / Self.countPerSeed)
    let records = Lock(0)
    let failures = Threads.run(self.threads) { number in
      for seed in stride(from: first + UInt64(number), to: first + seedCount, by: Int(threads)) {
        var check = ChainCheck(seed: seed)
        try check.run(Self.countPerSeed)
        let checked = check.recordCount
        records.withLock { $0 += checked }
      }
    }
    for failure in failures { print("FAILED \(failure)") }
    guard failures.isEmpty else { throw ExitCode.failure }
    let seconds = (clock.now - start) / .seconds(1)
    let last = first + seedCount - 1
    print(
      "\(seedCount * UInt64(Self.countPerSeed)) histories, seeds \(first)...\(last), "
        + "\(records.withLock { $0 }) records in \(Int(seconds)) s: fused equals stepwise")
  }
}
