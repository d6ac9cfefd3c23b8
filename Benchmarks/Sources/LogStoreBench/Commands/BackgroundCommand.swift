import ArgumentParser
import FileIO
import Foundation
import ObjectStore

/// Measures what the compaction that a store does by itself costs those who use it meanwhile.
struct BackgroundCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "background",
    abstract: "Latencies of puts and reads with and without automatic compaction.",
    discussion: """
      Each round overwrites random persons of a store for some seconds, once without and once with \
      automatic compaction, in turn. Only ratios within a run count.
      """)

  @Option(help: "Persons in the store.")
  var objects = 100_000

  @Option(help: "Seconds of each run.")
  var seconds = 10.0

  @Option(help: "How often both are measured.")
  var repetitions = 3

  @Flag(help: "Puts survive the death of the process only, not the loss of power.")
  var process = false

  @Option(help: "The part of a processor that compaction may take; the default of stores without.")
  var share: Double?

  @Option(help: "The folder in which the stores are made; they are removed afterwards.")
  var folder = NSTemporaryDirectory()

  private struct Run {
    let puts: [UInt64]
    let reads: [UInt64]
    let statistics: AutomaticCompactionStatistics
    let byteCount: UInt64
  }

  func run() throws {
    var pairs: [(off: Run, automatic: Run)] = []
    let columns = [
      "compaction", "puts", "put p50", "put p99", "put p99.9", "read p99", "steps", "copied",
      "worked", "store",
    ]
    print("| " + columns.joined(separator: " | ") + " |")
    print("| ---" + String(repeating: " | ---:", count: columns.count - 1) + " |")
    for _ in 0..<repetitions {
      let off = try measure(isAutomatic: false)
      printRow(off, "off")
      let automatic = try measure(isAutomatic: true)
      printRow(automatic, "automatic")
      pairs.append((off, automatic))
    }
    print("\nAutomatic compaction against none, medians of \(pairs.count):")
    for (name, part, values) in [
      ("put p99", 0.99, \Run.puts), ("put p99.9", 0.999, \Run.puts),
      ("read p99", 0.99, \Run.reads), ("read p99.9", 0.999, \Run.reads),
    ] {
      print("\(name): \(ratio(pairs) { percentile($0[keyPath: values], part) })")
    }
    print("puts: \(ratio(pairs) { Double($0.puts.count) })")
  }

  private func printRow(_ run: Run, _ name: String) {
    let cells = [
      name, "\(run.puts.count)", text(run.puts, 0.5), text(run.puts, 0.99),
      text(run.puts, 0.999), text(run.reads, 0.99), "\(run.statistics.stepCount)",
      "\(run.statistics.copiedByteCount >> 20) MiB",
      String(format: "%.1f s", Double(run.statistics.workNanoseconds) / 1e9),
      "\(run.byteCount >> 20) MiB",
    ]
    print("| " + cells.joined(separator: " | ") + " |")
  }

  /// The median over the pairs of runs of what `value` gives with compaction, against without.
  private func ratio(_ pairs: [(off: Run, automatic: Run)], _ value: (Run) -> Double) -> String {
    let ratios = pairs.map { value($0.automatic) / max(value($0.off), 1) }.sorted()
    return ratios.isEmpty ? "-" : String(format: "%.2f×", ratios[ratios.count / 2])
  }

  private func text(_ values: [UInt64], _ part: Double) -> String {
    String(format: "%.1f µs", percentile(values, part) / 1000)
  }

  /// In nanoseconds; 0 without values. `values` ascend.
  private func percentile(_ values: [UInt64], _ part: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    return Double(values[min(values.count - 1, Int(Double(values.count) * part))])
  }

  private func measure(isAutomatic: Bool) throws -> Run {
    let path = URL(filePath: folder).appending(path: "background-\(UUID().uuidString)")
      .path(percentEncoded: false)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var configuration = StoreConfiguration()
    if !isAutomatic { configuration.compaction = .off }
    if let share {
      configuration.compaction.pace = CompactionPace(byteCountPerSecond: nil, processorShare: share)
    }
    let store = try Store.open(
      at: path, models: [Person.self], history: Person.history, configuration: configuration)
    let generator = PersonGenerator(seed: 1, addedByteCount: 0)
    for start in stride(from: 0, to: objects, by: 1000) {
      try store.write { transaction in
        for number in start..<min(start + 1000, objects) {
          try transaction.put(generator.person(number))
        }
      }
    }
    var random = SplitMix(seed: 7)
    var puts: [UInt64] = []
    var reads: [UInt64] = []
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      let person = generator.person(random.below(objects))
      let start = ContinuousClock.now
      try store.write(durability: process ? .process : .full) { try $0.put(person) }
      puts.append(Self.nanoseconds(since: start))
      let key = Int64(random.below(objects))
      let readStart = ContinuousClock.now
      _ = try store.snapshot().get(Person.self, key)
      reads.append(Self.nanoseconds(since: readStart))
    }
    let statistics = store.compaction.statistics
    let byteCount = try store.statistics().log.fileByteCount
    try store.close()
    return Run(
      puts: puts.sorted(), reads: reads.sorted(), statistics: statistics, byteCount: byteCount)
  }

  private static func nanoseconds(since start: ContinuousClock.Instant) -> UInt64 {
    let parts = (ContinuousClock.now - start).components
    return UInt64(parts.seconds) * 1_000_000_000 + UInt64(parts.attoseconds / 1_000_000_000)
  }
}
