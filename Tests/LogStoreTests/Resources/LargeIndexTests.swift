import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// A long key takes a page of the index and a row of its directory: the index can be twice as large
/// as the data, and the header of its frame tells sizes below 4 GiB.
@Suite("A segment is full when its index is, so that it can be sealed")
struct LargeIndexTests {
  static let maximum = 64 << 10
  static let count = 60

  static func open(_ fileSystem: InMemoryFileSystem) throws(LogError) -> Log {
    var configuration = LogConfiguration()
    configuration.maintenance = .none
    configuration.segmentByteCountMinimum = 1 << 30
    configuration.segmentByteCountMaximum = 1 << 30
    configuration.transactionByteCountInMemory = 16 << 10
    configuration.indexByteCountMaximum = maximum
    return try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
  }

  /// Keys that share no prefix.
  static func key(_ number: Int) -> [UInt8] {
    [UInt8(number)] + [UInt8](repeating: 7, count: 4000)
  }

  /// There are many sealed segments; the index of none is larger than was said, but for the last
  /// key, which its directory has once more. Closes the log, whose files are whole then.
  static func checkSealed(_ log: Log, _ fileSystem: InMemoryFileSystem) throws {
    let accounts = log.pipeline.accounts.values.filter(\.descriptor.isSealed)
    let sizes = accounts.map { Int($0.measuredIndexByteCount ?? 0) }
    #expect(sizes.allSatisfy { $0 <= maximum + 2 * LogLimits.keyByteCount }, "\(sizes)")
    // Each key is there twice, and seven of them with their rows come close to the maximum.
    #expect(sizes.count >= count * 8000 / maximum)
    try checkWhole(log, fileSystem, of: count)
  }

  static func checkWhole(
    _ log: Log, _ fileSystem: InMemoryFileSystem, of count: Int
  ) throws {
    #expect(try TestLog.contents(log).count == count)
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  static func putEach(_ log: Log) throws {
    for number in 0..<count {
      let batch = log.makeBatch()
      try batch.put(key(number), in: TestLog.people, schemaVersion: 0, payload: [1])
      try log.commit(batch)
    }
  }

  @Test("Commits")
  func commits() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem)
    try Self.putEach(log)
    try Self.checkSealed(log, fileSystem)
  }

  @Test("Large transactions")
  func largeTransactions() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem)
    try log.transact { transaction in
      for number in 0..<Self.count {
        try transaction.put(
          Self.key(number), in: TestLog.people, schemaVersion: 0, payload: [1])
      }
    }
    try Self.checkSealed(log, fileSystem)
  }

  @Test("Outputs of compaction, whose frames have many keys")
  func outputs() throws {
    let fileSystem = InMemoryFileSystem()
    let log = try Self.open(fileSystem)
    let batch = log.makeBatch()
    for number in 0..<250 {
      try batch.put(Self.key(number), in: TestLog.people, schemaVersion: 0, payload: [1])
    }
    // One commit has one segment, whatever its index takes.
    try log.commit(batch)
    try log.sealActiveSegment()
    let sealed = log.pipeline.accounts.values.map(\.descriptor.identifier)
    #expect(sealed.count == 1)
    let rewrite = try log.beginRewrite(of: Set(sealed))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    // A frame of 256 KiB goes to the output before its keys go to the index.
    #expect(rewrite.outputs.count >= 3)
    try Self.checkWhole(log, fileSystem, of: 250)
  }

  @Test("What would not fit the header of a frame is a typed error")
  func aFooterThatDoesNotFit() throws {
    let largest = Int(UInt32.max) - FrameHeader.longByteCount - FrameHeader.alignment
    try LogLimits.checkFooter(byteCount: largest)
    #expect(
      throws: LogError.limitExceeded(
        name: "bytes of a segment's index", maximum: UInt64(largest), actual: UInt64(largest + 1))
    ) { try LogLimits.checkFooter(byteCount: largest + 1) }
  }
}
