import Foundation

extension PhaseRun {
  /// How long an engine may go on by itself after the last write.
  private static let restSecondsMaximum = 10.0
  private static let secondsBetweenLooks = 0.1

  /// Single puts into an empty store, until all numbers are written or the time is over.
  func fill(promise: Promise, threadCount: Int, numbers: [UInt32]) throws {
    let engine = try openEngine(promise)
    let generations = generations
    let seconds = order.secondsMaximum
    let coming = ComingRecords(generations, numbers, step: threadCount)
    let isOrdered = order.phase == .fillseq && records.isInKeyOrder
    try measure(order.phase.rawValue) {
      let stopwatch = Stopwatch()
      return try Threads.run(threadCount) { thread in
        var count = 0
        var index = thread
        while index < numbers.count {
          let number = Int(numbers[index])
          coming.ask(at: index)
          let record = generations.next(number)
          if isOrdered { try engine.putLast(record) } else { try engine.put(record) }
          generations.advance(number)
          index += threadCount
          count += 1
          if count % 64 == 0, stopwatch.seconds > seconds { break }
        }
        return count
      }
    }
    try closeAndCheck(engine)
  }

  /// All records in batches, each durable, in the order of the record file.
  func load() throws {
    let engine = try openEngine(.powerLoss)
    let isOrdered = records.isInKeyOrder
    try measure("fillbatch.sync") {
      var batch: [RecordBytes] = []
      for start in stride(from: 0, to: records.count, by: Self.batchRecordCount) {
        batch.removeAll(keepingCapacity: true)
        for number in start..<min(start + Self.batchRecordCount, records.count) {
          batch.append(generations.next(number))
          generations.advance(number)
        }
        try engine.putBatch(batch, inKeyOrder: isOrdered)
      }
      return records.count
    }
    try closeAndCheck(engine)
    try recordSpace("space.loaded")
  }

  /// Twice as many random single puts as there are records; the disk is looked at meanwhile.
  func overwrite() throws {
    let numbers = randomNumbers(2 * records.count)
    let coming = ComingRecords(generations, numbers)
    let engine = try openEngine(.processKill)
    var spaceMaximum = 0
    var stoppedSeconds = 0.0
    var nextLook = 0.0
    let stopwatch = Stopwatch()
    var written = 0
    for (index, number) in numbers.enumerated() {
      coming.ask(at: index)
      try engine.put(generations.next(Int(number)))
      generations.advance(Int(number))
      written += 1
      guard written % 64 == 0 else { continue }
      let now = stopwatch.seconds
      if now > 4 * order.secondsMaximum { break }
      guard now >= nextLook else { continue }
      spaceMaximum = max(spaceMaximum, try FileSpace.allocatedByteCount(below: order.storePath))
      let end = stopwatch.seconds
      stoppedSeconds += end - now
      nextLook = end + Self.secondsBetweenLooks
    }
    let seconds = stopwatch.seconds - stoppedSeconds
    record(
      Measurement(
        engine: order.engine, workload: "overwrite2x", value: Double(written) / seconds,
        unit: .operationsPerSecond, operationCount: written, seconds: seconds,
        cpuNanoseconds: stopwatch.cpuSeconds * 1e9 / Double(written)))
    spaceMaximum = max(spaceMaximum, try FileSpace.allocatedByteCount(below: order.storePath))
    record(
      Measurement(
        engine: order.engine, workload: "space.running",
        value: Double(spaceMaximum) / Double(records.byteCount), unit: .timesTheRecords))
    Thread.sleep(forTimeInterval: min(order.secondsMaximum, Self.restSecondsMaximum))
    try recordSpace("space.rested")
    try closeAndCheck(engine)
    try recordSpace("space.closed")
  }

  /// What the engine has to give space back.
  func compact() throws {
    let engine = try openEngine(.powerLoss)
    let stopwatch = Stopwatch()
    try engine.compactAlone()
    record(
      Measurement(
        engine: order.engine, workload: "compact", value: stopwatch.seconds, unit: .seconds,
        operationCount: 1, seconds: stopwatch.seconds))
    try closeAndCheck(engine)
    try recordSpace("space.compacted")
  }
}
