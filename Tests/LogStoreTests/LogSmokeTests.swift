import BinaryCoding
import FileIO
import Testing

@testable import LogStore

@Suite struct LogSmokeTests {
  static func key(_ number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8]($0) }
  }

  @Test func writesReadsSealsCompactsAndReopens() throws {
    let fileSystem = InMemoryFileSystem()
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 16 << 10
    configuration.segmentByteCountMaximum = 16 << 10
    let people = CollectionIdentifier(1)
    var log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    for round in 0..<3 {
      for number in 0..<1000 where number % (round + 1) == 0 {
        let batch = log.makeBatch()
        let payload = [UInt8]("person \(number) in round \(round), again and again and again".utf8)
        try batch.put(Self.key(number), in: people, schemaVersion: UInt64(round), payload: payload)
        if number % 7 == 0 { try batch.delete(Self.key(number + 1), in: people) }
        try log.commit(batch)
      }
    }
    func dump(_ log: Log) throws -> [String] {
      let cursor = try log.snapshot().records(in: people)
      var lines: [String] = []
      while let (key, record) = try cursor.next() {
        #expect(try log.snapshot().record(for: key, in: people) == record)
        lines.append(
          "\(key) \(record.schemaVersion) \(String(decoding: record.payload, as: UTF8.self))")
      }
      return lines
    }
    let before = try dump(log)
    let statistics = try log.statistics()
    #expect(statistics.live.recordCount == UInt64(before.count))
    try log.close()
    log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    #expect(log.recoveryReport.tail == .clean)
    #expect(try dump(log) == before)
    let rewrite = try log.beginRewrite(of: Set(statistics.segments.map(\.identifier)))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    #expect(try dump(log) == before)
    let after = try log.statistics()
    #expect(after.live.recordCount == UInt64(before.count))
    #expect(after.liveByVersion == statistics.liveByVersion)
    #expect(after.fileByteCount < statistics.fileByteCount)
  }
}
