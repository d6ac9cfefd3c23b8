extension PhaseRun {
  /// Reads of a phase and thread; enough for a steady rate at a million a second.
  static let readCount = 300_000
  /// Ranges of a hundred records.
  static let rangeCount = 10_000
  /// Snapshots that are taken one after the other.
  static let snapshotCount = 100_000

  /// From the call to open to the first record, after a clean close, with its files in memory.
  func open() throws {
    let repetitionCount = 20
    try FileSpace.readAll(below: order.directory)
    var seconds: [Double] = []
    var cpuSeconds = 0.0
    for _ in 0..<repetitionCount {
      let key = [UInt8](records.key(random.below(records.count)))
      let stopwatch = Stopwatch()
      let engine = try openEngine(.processKill)
      let isFound: Bool
      do {
        let reader = try engine.makeReader()
        isFound = try key.withUnsafeBytes { try reader.read($0) { _ in } }
        // Giving up what reads, a connection say, is no part of it.
        withExtendedLifetime(reader) {
          seconds.append(stopwatch.seconds)
          cpuSeconds += stopwatch.cpuSeconds
        }
      }
      guard isFound else { throw BenchmarkError("\(order.engine.rawValue) lost a record") }
      try engine.close()
    }
    let median = seconds.median
    record(
      Measurement(
        engine: order.engine, workload: "open", value: median * 1000, unit: .milliseconds,
        operationCount: repetitionCount, seconds: seconds.reduce(0, +),
        cpuNanoseconds: cpuSeconds * 1e9 / Double(repetitionCount)))
  }

  /// Reads of a store as it was loaded, after everything was read once.
  func read() throws {
    // The second of two threads reads those of the next try.
    let numbers = randomNumbers(Self.readCount * (Measurement.readTryCount + 1))
    let starts = AskedKeys(records, randomNumbers(Self.rangeCount))
    let asked = askedKeys(numbers)
    let missing = AskedKeys(missingFrom: records, numbers[..<Self.readCount])
    let before = ProcessMemory.anonymousByteCount
    let engine = try openEngine(.processKill)
    // The reader goes before the engine is closed.
    do {
      let reader = try warmed(engine.makeReader())
      try measureReading("readrandom") { try Self.readRandom(reader, asked[$0]) }
      try measureTwoThreads(engine, asked)
      try measureReading("readmissing") { _ in try readMissing(reader, missing) }
      try measureScan(reader, "scanall")
      try measureReading("scan100") { _ in try readRanges(reader, starts) }
      try measureReading("snapshot") { _ in
        for _ in 0..<Self.snapshotCount { try reader.takeSnapshot() }
        return Self.snapshotCount
      }
      let after = ProcessMemory.anonymousByteCount
      // What is let go before the second look would count as the engine's.
      withExtendedLifetime((numbers, starts, asked, missing, reader)) {}
      if let before, let after {
        record(
          Measurement(
            engine: order.engine, workload: "memory.reading",
            value: Double(max(after - before, 0)) / 1e6, unit: .megabytes))
      }
    }
    try check(engine)
    try engine.close()
  }

  /// Both threads have a reader, which was made and warmed before the clock runs.
  private func measureTwoThreads(_ engine: any Engine, _ asked: [AskedKeys]) throws {
    let readers = SentReaders([try warmed(engine.makeReader()), try warmed(engine.makeReader())])
    try measureReading("readrandom2") { attempt in
      try Threads.run(2) { thread in
        try Self.readRandom(readers.all[thread], asked[attempt + thread])
      }
    }
  }

  /// Readers on their way to the threads that use one each.
  private struct SentReaders: @unchecked Sendable {
    let all: [any EngineReader]

    init(_ all: [any EngineReader]) { self.all = all }
  }

  /// Point reads and a scan, of a store that was changed since it was loaded.
  func readAll(suffix: String) throws {
    let asked = askedKeys(randomNumbers(Self.readCount * Measurement.readTryCount))
    let engine = try openEngine(.processKill)
    do {
      let reader = try warmed(engine.makeReader())
      try measureReading("readrandom" + suffix) { try Self.readRandom(reader, asked[$0]) }
      try measureScan(reader, "scanall" + suffix)
    }
    try check(engine)
    try engine.close()
  }

  /// The keys of each try: those of the try before would be in the caches. Of two threads the
  /// second asks for what the first does in the next try.
  private func askedKeys(_ numbers: [UInt32]) -> [AskedKeys] {
    stride(from: 0, to: numbers.count, by: Self.readCount).map {
      AskedKeys(records, numbers[$0..<$0 + Self.readCount])
    }
  }

  /// A reader that has read every record once, so that its caches and the engine's hold what they
  /// can. Some engines keep pages for each reader, so it is the one that is measured.
  func warmed(_ reader: any EngineReader) throws -> any EngineReader {
    _ = try reader.scan(from: nil, limit: .max) { _, _ in }
    for number in randomNumbers(Self.readCount / 10) {
      _ = try reader.read(records.key(Int(number))) { _ in }
    }
    return reader
  }

  private func measureScan(_ reader: any EngineReader, _ workload: String) throws {
    var sum = ByteSum()
    try measureReading(workload) { _ in
      try reader.scan(from: nil, limit: .max) { key, value in
        sum.add(key)
        sum.add(value)
      }
    }
    guard let count = measurements.last?.operationCount, count == generations.liveCount else {
      throw BenchmarkError("\(order.engine.rawValue) scanned another number of records")
    }
  }

  private static func readRandom(_ reader: any EngineReader, _ keys: AskedKeys) throws -> Int {
    var sum = ByteSum()
    try keys.withEach { key in
      guard try reader.read(key, { sum.add($0) }) else {
        throw BenchmarkError("a record is missing")
      }
    }
    return keys.count
  }

  private func readMissing(_ reader: any EngineReader, _ keys: AskedKeys) throws -> Int {
    try keys.withEach { key in
      guard try !reader.read(key, { _ in }) else {
        throw BenchmarkError("a record is there that was never written")
      }
    }
    return keys.count
  }

  private func readRanges(_ reader: any EngineReader, _ starts: AskedKeys) throws -> Int {
    var sum = ByteSum()
    try starts.withEach { start in
      _ = try reader.scan(from: start, limit: 100) { key, value in
        sum.add(key)
        sum.add(value)
      }
    }
    return starts.count
  }
}
