import Histogram
import Synchronization

extension PhaseRun {
  /// Durable puts and reads one by one; alone, and then beside a compaction of the whole store.
  func latency() throws {
    let engine = try openEngine(.powerLoss)
    let running = Atomic(true)
    let seconds = order.secondsMaximum
    let stopwatch = Stopwatch()
    let puts = try putting(engine, randomNumbers(Self.readCount)) { stopwatch.seconds < seconds }
    record(puts, "latency.put")
    record(try reading(engine, randomNumbers(Self.readCount)) { true }, "latency.read")

    // Three threads: one compacts; the others go on until it is done.
    let putNumbers = randomNumbers(Self.readCount)
    let readNumbers = randomNumbers(Self.readCount * 10)
    let outcome = Mutex<[String: LatencyRecorder]>([:])
    let run = Concurrent(self)
    _ = try Threads.run(3) { thread in
      switch thread {
      case 0:
        defer { running.store(false, ordering: .releasing) }
        try engine.compact()
      case 1:
        let puts = try run.phase.putting(engine, putNumbers) {
          running.load(ordering: .acquiring)
        }
        outcome.withLock { $0["latency.put.compacting"] = puts }
      default:
        let reads = try run.phase.reading(engine, readNumbers) {
          running.load(ordering: .acquiring)
        }
        outcome.withLock { $0["latency.read.compacting"] = reads }
      }
      return 0
    }
    let recorders = outcome.withLock { $0 }
    for (workload, recorder) in recorders.sorted(by: { $0.key < $1.key }) {
      record(recorder, workload)
    }
    try closeAndCheck(engine)
  }

  /// Lends the phase to threads, of which one writes generations and none changes anything else.
  private struct Concurrent: @unchecked Sendable {
    let phase: PhaseRun

    init(_ phase: PhaseRun) { self.phase = phase }
  }

  private func putting(
    _ engine: any Engine, _ numbers: [UInt32], while isGoingOn: () -> Bool
  ) throws -> LatencyRecorder {
    var recorder = LatencyRecorder()
    let coming = ComingRecords(generations, numbers)
    for (index, number) in numbers.enumerated() {
      guard isGoingOn() else { break }
      coming.ask(at: index)
      let record = generations.next(Int(number))
      try recorder.record { try engine.put(record) }
      generations.advance(Int(number))
    }
    return recorder
  }

  private func reading(
    _ engine: any Engine, _ numbers: [UInt32], while isGoingOn: () -> Bool
  ) throws -> LatencyRecorder {
    var recorder = LatencyRecorder()
    let reader = try warmed(engine.makeReader())
    let keys = AskedKeys(records, numbers)
    var sum = ByteSum()
    for index in numbers.indices {
      guard isGoingOn() else { break }
      try recorder.record {
        try reader.refresh()
        guard try keys.withKey(index, { try reader.read($0) { sum.add($0) } }) else {
          throw BenchmarkError("record \(numbers[index]) is missing")
        }
      }
    }
    return recorder
  }

  private func record(_ recorder: LatencyRecorder, _ workload: String) {
    // An engine whose compaction is over at once measures nothing beside it.
    guard recorder.histogram.totalCount >= 100 else { return }
    let percentiles = Percentiles(recorder.histogram)
    record(
      Measurement(
        engine: order.engine, workload: workload, value: (percentiles[99] ?? 0) / 1000,
        unit: .microseconds, operationCount: Int(recorder.histogram.totalCount),
        percentiles: percentiles))
  }
}
