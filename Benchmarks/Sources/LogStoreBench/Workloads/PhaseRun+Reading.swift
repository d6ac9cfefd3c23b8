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
      let isFound = try key.withUnsafeBytes { try engine.makeReader().read($0) { _ in } }
      seconds.append(stopwatch.seconds)
      cpuSeconds += stopwatch.cpuSeconds
      guard isFound else { throw BenchmarkError("\(order.engine.rawValue) lost a record") }
      try engine.close()
    }
    let median = seconds.sorted()[repetitionCount / 2]
    record(
      Measurement(
        engine: order.engine, workload: "open", value: median * 1000, unit: .milliseconds,
        operationCount: repetitionCount, seconds: seconds.reduce(0, +),
        cpuNanoseconds: cpuSeconds * 1e9 / Double(repetitionCount)))
  }

  /// Reads of a store as it was loaded, after everything was read once.
  func read() throws {
    let numbers = randomNumbers(Self.readCount * 2)
    let starts = randomNumbers(Self.rangeCount)
    let asked = [
      AskedKeys(records, numbers[..<Self.readCount]),
      AskedKeys(records, numbers[Self.readCount...]),
    ]
    let missing = AskedKeys(missingFrom: records, numbers[..<Self.readCount])
    let before = ProcessMemory.anonymousByteCount
    let engine = try openEngine(.processKill)
    try warmUp(engine)
    try measure("readrandom") { try Self.readRandom(engine, asked[0]) }
    try measure("readrandom2") {
      try Threads.run(2) { thread in try Self.readRandom(engine, asked[thread]) }
    }
    try measure("readmissing") { try readMissing(engine, missing) }
    try measureScan(engine, "scanall")
    try measure("scan100") { try readRanges(engine, starts) }
    try measure("snapshot") {
      let reader = try engine.makeReader()
      for _ in 0..<Self.snapshotCount { try reader.takeSnapshot() }
      return Self.snapshotCount
    }
    let after = ProcessMemory.anonymousByteCount
    // What is let go before the second look would count as the engine's.
    withExtendedLifetime((numbers, starts, asked, missing)) {}
    if let before, let after {
      record(
        Measurement(
          engine: order.engine, workload: "memory.reading",
          value: Double(max(after - before, 0)) / 1e6, unit: .megabytes))
    }
    try check(engine)
    try engine.close()
  }

  /// Point reads and a scan, of a store that was changed since it was loaded.
  func readAll(suffix: String) throws {
    let asked = AskedKeys(records, randomNumbers(Self.readCount))
    let engine = try openEngine(.processKill)
    try warmUp(engine)
    try measure("readrandom" + suffix) { try Self.readRandom(engine, asked) }
    try measureScan(engine, "scanall" + suffix)
    try check(engine)
    try engine.close()
  }

  /// Every record once, so that caches hold what they can.
  func warmUp(_ engine: any Engine) throws {
    let reader = try engine.makeReader()
    _ = try reader.scan(from: nil, limit: .max) { _, _ in }
    for number in randomNumbers(Self.readCount / 10) {
      _ = try reader.read(records.key(Int(number))) { _ in }
    }
  }

  private func measureScan(_ engine: any Engine, _ workload: String) throws {
    var sum = ByteSum()
    try measure(workload) {
      try engine.makeReader().scan(from: nil, limit: .max) { key, value in
        sum.add(key)
        sum.add(value)
      }
    }
    guard let count = measurements.last?.operationCount, count == generations.liveCount else {
      throw BenchmarkError("\(order.engine.rawValue) scanned another number of records")
    }
  }

  private static func readRandom(_ engine: any Engine, _ keys: AskedKeys) throws -> Int {
    let reader = try engine.makeReader()
    var sum = ByteSum()
    try keys.withEach { key in
      guard try reader.read(key, { sum.add($0) }) else {
        throw BenchmarkError("a record is missing")
      }
    }
    return keys.count
  }

  private func readMissing(_ engine: any Engine, _ keys: AskedKeys) throws -> Int {
    let reader = try engine.makeReader()
    try keys.withEach { key in
      guard try !reader.read(key, { _ in }) else {
        throw BenchmarkError("a record is there that was never written")
      }
    }
    return keys.count
  }

  private func readRanges(_ engine: any Engine, _ starts: [UInt32]) throws -> Int {
    let reader = try engine.makeReader()
    var sum = ByteSum()
    for start in starts {
      _ = try reader.scan(from: records.key(Int(start)), limit: 100) { key, value in
        sum.add(key)
        sum.add(value)
      }
    }
    return starts.count
  }
}
