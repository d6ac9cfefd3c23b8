import Foundation

/// Changes the shape of all persons of a store, for one engine and one length of the chain.
struct MigrationRun {
  let order: PhaseOrder
  let stepCount: Int

  private var path: String { order.directory + "/migration" }
  private var generator: PersonGenerator {
    PersonGenerator(seed: order.recordSeed, addedByteCount: 0)
  }

  /// Fills a store in the old shape; in a process of its own, whose memory does not count.
  func prepare() throws {
    let count = order.objectCount
    let chunk = 1000
    if order.engine.keepsObjects {
      let engine = try order.engine.openObjects(at: path)
      for start in stride(from: 0, to: count, by: chunk) {
        try engine.put((start..<min(start + chunk, count)).map(generator.person)[...])
      }
      return try engine.close()
    }
    let engine = try order.engine.open(ByteMigration.settings(path: path, objectCount: count))
    for start in stride(from: 0, to: count, by: chunk) {
      // Keys and values of a batch, one after the other, and where each begins.
      var bytes: [UInt8] = []
      var starts: [Int] = []
      for id in start..<min(start + chunk, count) {
        starts.append(bytes.count)
        withUnsafeBytes(of: UInt64(id).bigEndian) { bytes.append(contentsOf: $0) }
        PersonCoding.append(generator.person(id), to: &bytes)
      }
      let ends = starts.dropFirst() + [bytes.count]
      try bytes.withUnsafeBytes { bytes in
        let records = zip(starts, ends).map { start, end in
          RecordBytes(
            key: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + 8)]),
            value: UnsafeRawBufferPointer(rebasing: bytes[(start + 8)..<end]))
        }
        try engine.putBatch(records, inKeyOrder: true)
      }
    }
    try engine.close()
  }

  func run() throws -> [Measurement] {
    let files = FileManager.default
    if files.fileExists(atPath: path) { try files.removeItem(atPath: path) }
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: path) }
    _ = try ChildProcess.measure(order.with(phase: .migrationSetup))
    // What the setting up left to be written is not the migration's.
    sync()

    let diskBefore = try FileSpace.allocatedByteCount(below: path)
    let memoryBefore = ProcessMemory.anonymousByteCount ?? 0
    let migration = try makeMigration()
    let sampler = PeakSampler(directory: path)
    let stopwatch = Stopwatch()
    let id = order.objectCount / 2
    let first = try migration.firstRead(id)
    let firstSeconds = stopwatch.seconds
    try migration.finish()
    let seconds = stopwatch.seconds
    let cpuSeconds = stopwatch.cpuSeconds
    let peaks = sampler.stop()
    try check(first, id)
    try checkRandomPersons(migration)
    try migration.close()
    // What was answered from memory does not count: the same once more, from what is on disk.
    try migration.reopen()
    try checkRandomPersons(migration)
    try migration.close()
    let memory = Double(max(peaks.memoryByteCount - memoryBefore, 0))
    return [
      measurement("first", firstSeconds * 1000, .milliseconds),
      measurement(
        "all", seconds, .seconds, cpuNanoseconds: cpuSeconds * 1e9 / Double(order.objectCount)),
      measurement("memory", memory / 1e6, .megabytes),
      measurement("disk", Double(peaks.diskByteCount) / Double(diskBefore), .timesBefore),
    ]
  }

  private func makeMigration() throws -> any Migration {
    switch order.engine {
    case .logStoreObjects:
      return LogStoreMigration(path: path, stepCount: stepCount, objectCount: order.objectCount)
    #if HAS_SQLITE
      case .sqliteColumns: return SQLiteMigration(path: path, stepCount: stepCount)
      case .grdb: return GRDBMigration(path: path, stepCount: stepCount)
    #endif
    default: return ByteMigration(order.engine, path: path, objectCount: order.objectCount)
    }
  }

  /// The same persons at each call.
  private func checkRandomPersons(_ migration: any Migration) throws {
    var random = SplitMix(seed: order.seed)
    for _ in 0..<min(PhaseRun.checkedRecordCount, order.objectCount) {
      let id = random.below(order.objectCount)
      try check(try migration.person(id), id)
    }
  }

  private func check(_ found: MigratedPerson?, _ id: Int) throws {
    var expected = MigratedPerson(generator.person(id))
    if !order.engine.keepsObjects { expected.balance = 0 }
    guard found == expected else {
      throw BenchmarkError("\(order.engine.rawValue): object \(id) was not migrated correctly")
    }
  }

  private func measurement(
    _ name: String, _ value: Double, _ unit: Measurement.Unit, cpuNanoseconds: Double? = nil
  ) -> Measurement {
    Measurement(
      engine: order.engine, workload: "migration\(stepCount).\(name)", value: value, unit: unit,
      operationCount: order.objectCount, cpuNanoseconds: cpuNanoseconds)
  }
}
