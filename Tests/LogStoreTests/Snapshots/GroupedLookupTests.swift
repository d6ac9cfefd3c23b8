import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Looking up several keys gives what looking up each of them gives")
struct GroupedLookupTests {
  private static func open(
    _ fileSystem: any FileSystem, _ maintenance: LogConfiguration.Maintenance,
    _ readMode: LogConfiguration.ReadMode, access: LogConfiguration.Access = .readWrite
  ) throws -> Log {
    var configuration = TestLog.configuration
    configuration.access = access
    configuration.segmentByteCountMinimum = 1 << 10
    configuration.segmentByteCountMaximum = 1 << 10
    configuration.durability = .process
    configuration.maintenance = maintenance
    configuration.readMode = readMode
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// What either way of asking gives, errors included.
  private static func compare(
    _ snapshot: Snapshot, _ keys: [[UInt8]], _ place: String
  ) throws -> Int {
    var single: [StoredRecord?] = []
    var failure: String?
    do throws(LogError) {
      for key in keys { single.append(try snapshot.record(for: key, in: TestLog.people)) }
    } catch { failure = "\(error)" }
    do throws(LogError) {
      let grouped = try snapshot.records(for: keys, in: TestLog.people)
      if failure != nil || grouped != single { Issue.record("\(place): other records") }
    } catch {
      if failure != "\(error)" {
        Issue.record("\(place): \(error), and by itself \(failure ?? "")")
      }
    }
    return single.count { $0 != nil }
  }

  @Test(
    "Keys that are there, were replaced or deleted, are not there, or come twice", arguments: 1...12
  )
  func groupsGiveWhatEachGives(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let fileSystem = InMemoryFileSystem()
    let maintenance: LogConfiguration.Maintenance = seed % 3 == 0 ? .none : .inline
    let readMode: LogConfiguration.ReadMode = seed % 4 == 0 ? .buffered : .mapped
    var log = try Self.open(fileSystem, maintenance, readMode)
    var found = 0
    for round in 0..<12 {
      for step in 0..<12 {
        let numbers = (0..<7).map { _ in Int.random(in: 0..<400, using: &generator) }
        if step % 5 == 4 {
          try TestLog.delete(numbers, log)
        } else {
          try TestLog.put(Array(Set(numbers)), log)
        }
      }
      if round % 4 == 3 { try log.mergeIndexes() }
      if round % 5 == 4 {
        try log.close()
        log = try Self.open(fileSystem, maintenance, readMode)
      }
      for count in [0, 1, 2, 15, 16, 17, 70] {
        let keys = (0..<count).map { _ in TestLog.key(Int.random(in: 0..<500, using: &generator)) }
        found += try Self.compare(
          log.snapshot(), keys, "seed \(seed), round \(round), \(count) keys")
      }
    }
    #expect(found > 300, "seed \(seed)")
    try log.close()
  }

  @Test("P6: bytes that are not what was written change no answer, and no address is followed")
  func damageChangesNothing() throws {
    let fileSystem = try MergedIndexTests.merged()
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    let keys = (0..<220).map { TestLog.key($0) }
    var generator = SeededGenerator(seed: 77)
    var counts = (compared: 0, damaged: 0)
    for name in try directory.list().compactMap(FileName.init) {
      guard "\(name)".hasPrefix("index-") || "\(name)".hasPrefix("segment-") else { continue }
      let file = try directory.open(name, .readWrite)
      let bytes = try FileReading.all(of: file, limit: 1 << 30, name: name)
      for _ in 0..<40 {
        let position = Int.random(in: 0..<bytes.count, using: &generator)
        let length = min(Int.random(in: 1...9, using: &generator), bytes.count - position)
        let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try noise.withUnsafeBytes { try file.write([$0], at: UInt64(position)) }
        // Two openings, so that neither way finds what the other has learned of the damage.
        if let log = try? Self.open(fileSystem, .none, .mapped),
          let other = try? Self.open(fileSystem, .none, .mapped, access: .readOnly)
        {
          let grouped = try? log.snapshot().records(for: keys, in: TestLog.people)
          let single = try? keys.map { try other.snapshot().record(for: $0, in: TestLog.people) }
          if grouped != single { Issue.record("\(name) at \(position)") }
          counts.compared += 1
          let hasDamagedRun = try log.statistics().runs.contains(where: \.isDamaged)
          counts.damaged += grouped == nil || hasDamagedRun ? 1 : 0
          try? log.close()
          try? other.close()
        }
        try Array(bytes[position..<(position + length)]).withUnsafeBytes {
          try file.write([$0], at: UInt64(position))
        }
      }
    }
    #expect(counts.compared > 300 && counts.damaged > 100, "\(counts)")
  }

  @Test("An empty key is refused, no keys are no records")
  func errorsAreThoseOfOneLookup() throws {
    let log = try Self.open(InMemoryFileSystem(), .none, .mapped)
    try TestLog.put(0..<10, log)
    #expect(throws: LogError.emptyKey) {
      try log.snapshot().records(for: [TestLog.key(1), []], in: TestLog.people)
    }
    #expect(try log.snapshot().records(for: [], in: TestLog.people).isEmpty)
    try log.close()
  }
}
