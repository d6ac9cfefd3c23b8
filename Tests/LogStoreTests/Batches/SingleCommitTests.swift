import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("Commits of one change")
struct SingleCommitTests {
  @Test("they leave the same bytes as batches of one (P25)", arguments: [UInt64(1), 2])
  func sameBytesAsBatches(seed: UInt64) throws {
    print("seed \(seed)")
    let files = try [true, false].map { isSingle in
      let fileSystem = InMemoryFileSystem()
      try write(fileSystem, seed: seed, isSingle: isSingle)
      return try contents(fileSystem)
    }
    #expect(files[0].count > 4)
    #expect(files[0] == files[1])
  }

  private func write(_ fileSystem: InMemoryFileSystem, seed: UInt64, isSingle: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    let time = ManualTimeSource(secondsSince1970: 1_750_000_000)
    var configuration = TestLog.configuration
    configuration.timeSource = time
    configuration.randomSource = SeededRandomSource(seed: 7)
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for _ in 0..<600 {
      time.set(secondsSince1970: time.secondsSince1970() + UInt64(generator.next() % 3))
      let key = TestLog.key(Int(generator.next() % 200))
      let isLarge = generator.next() % 50 == 0
      let count = Int(generator.next() % (isLarge ? 100_000 : 120))
      let payload =
        generator.next() % 2 == 0
        ? [UInt8](repeating: 7, count: count)
        : generator.bytes(count)
      let durability: Durability = generator.next() % 3 == 0 ? .full : .process
      switch (isSingle, generator.next() % 4 == 0) {
      case (true, true): try log.delete(key, in: TestLog.people, durability: durability)
      case (true, false):
        try log.put(
          key, in: TestLog.people, schemaVersion: 3, payload: payload, durability: durability)
      case (false, let isDeletion):
        let batch = log.makeBatch()
        if isDeletion {
          try batch.delete(key, in: TestLog.people)
        } else {
          try batch.put(key, in: TestLog.people, schemaVersion: 3, payload: payload)
        }
        try log.commit(batch, durability: durability)
      }
    }
    try log.close()
  }

  private func contents(_ fileSystem: InMemoryFileSystem) throws -> [String: [UInt8]] {
    let directory = try fileSystem.openDirectory(at: "/store", create: false)
    var files: [String: [UInt8]] = [:]
    for text in try directory.list() where !text.hasPrefix("RESERVE") {
      let file = try directory.open(try #require(FileName(text)), .read)
      var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
      _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
      files[text] = bytes
    }
    return files
  }

  @Test("one that failed leaves nothing to the next, and each says where it ended (P9)")
  func failures() throws {
    let fileSystem = SimulatedFileSystem()
    let log = try TestLog.open(fileSystem, durability: .process)
    func put(_ number: Int) throws(LogError) -> CommitSequence {
      try log.put(
        TestLog.key(number), in: TestLog.people, schemaVersion: 0, payload: TestLog.payload(number))
    }
    let first = try put(1)
    #expect(throws: LogError.emptyKey) {
      try log.put([], in: TestLog.people, schemaVersion: 0, payload: [1])
    }
    #expect(throws: LogError.self) {
      try log.delete([UInt8](repeating: 1, count: 1 << 17), in: TestLog.people)
    }
    fileSystem.setFaults([
      FaultPlan(operation: 1, .fail(.ioError), isPermanent: true, kinds: [.write])
    ])
    #expect(throws: LogError.self) { _ = try put(2) }
    fileSystem.setFaults([])
    let second = try put(3)
    #expect(second.rawValue == first.rawValue + 1)
    #expect(try log.delete(TestLog.key(1), in: TestLog.people).rawValue == first.rawValue + 2)
    try TestLog.compare(log, TestLog.expected([3]))
    try log.close()
    #expect(throws: LogError.closed) { _ = try put(4) }
    try TestLog.compare(try TestLog.open(fileSystem), TestLog.expected([3]))
  }

  @Test(
    "threads that commit at the same time lose nothing", arguments: [Durability.full, .process])
  func threads(durability: Durability) throws {
    let log = try TestLog.open(InMemoryFileSystem(), durability: durability)
    let failures = Threads.run(6) { thread in
      for index in 0..<300 {
        let number = thread * 1000 + index
        let sequence = try log.put(
          TestLog.key(number), in: TestLog.people, schemaVersion: 0,
          payload: TestLog.payload(number))
        #expect(sequence > .zero)
        if index % 10 == 9 { try log.delete(TestLog.key(number), in: TestLog.people) }
      }
    }
    #expect(failures.isEmpty)
    let numbers = (0..<6).flatMap { thread in
      (0..<300).filter { $0 % 10 != 9 }.map { thread * 1000 + $0 }
    }
    try TestLog.compare(log, TestLog.expected(numbers))
    #expect(log.snapshot().lastSequence.rawValue == 6 * 330)
  }
}
