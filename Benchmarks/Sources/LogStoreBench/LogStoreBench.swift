import ArgumentParser
import Foundation
import LogStore

/// Measures the log on generated person records; prints one line for each workload.
@main
struct LogStoreBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logstore-bench",
    abstract: "Measures LogStore on generated person records of 101 to 325 bytes.")

  @Option(help: "How many records the store holds.")
  var records = 1_000_000

  @Option(help: "How often each reading workload is repeated.")
  var repetitions = 5

  @Option(help: "The folder in which the store is made; it is removed afterwards.")
  var folder = NSTemporaryDirectory()

  func run() throws {
    let path = folder + "/logstore-bench-\(ProcessInfo.processInfo.processIdentifier)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let people = CollectionIdentifier(1)
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 64 << 20
    var log = try Log.open(at: path, configuration: configuration)
    let payloads = (0..<10_000).map(PersonRecords.payload)
    let rawByteCount = payloads.reduce(0) { $0 + $1.count } / payloads.count * records
    print("\(records) records, \(rawByteCount / records) bytes on average")
    let fill = try Measurement.run("fillbatch.sync", operationCount: records, repetitions: 1) {
      for start in stride(from: 0, to: records, by: 1000) {
        let batch = log.makeBatch()
        for number in start..<min(start + 1000, records) {
          try batch.put(
            PersonRecords.key(number), in: people, schemaVersion: 0,
            payload: payloads[number % payloads.count])
        }
        try log.commit(batch)
      }
    }
    print(fill.line)
    try log.close()
    print(
      try Measurement.run("open to first read", operationCount: 1, repetitions: 20) {
        log = try Log.open(at: path, configuration: configuration)
        _ = try log.snapshot().record(for: PersonRecords.key(records / 2), in: people)
        try log.close()
      }.line)
    log = try Log.open(at: path, configuration: configuration)
    try read(log, people)
    let files = try log.statistics().fileByteCount
    print("on disk: \(files) bytes, \(Double(files) / Double(rawByteCount)) of the data")
    try write(log, people, payloads)
    try log.close()
  }

  private func read(_ log: Log, _ people: CollectionIdentifier) throws {
    let count = min(records, 200_000)
    let snapshot = log.snapshot()
    print(
      try Measurement.run("readrandom", operationCount: count, repetitions: repetitions) {
        var number = 1
        for _ in 0..<count {
          number = number &* 1_103_515_245 &+ 12345
          let key = PersonRecords.key(Int(UInt(bitPattern: number) >> 16) % records)
          guard try snapshot.record(for: key, in: people) != nil else {
            throw ValidationError("a record is missing")
          }
        }
      }.line)
    print(
      try Measurement.run("readmissing", operationCount: count, repetitions: repetitions) {
        for number in 0..<count {
          let key = PersonRecords.key(number * 5) + [1]
          guard try snapshot.record(for: key, in: people) == nil else {
            throw ValidationError("a record is there that was not written")
          }
        }
      }.line)
    print(
      try Measurement.run("scanall", operationCount: records, repetitions: repetitions) {
        let cursor = try snapshot.records(in: people)
        var found = 0
        while try cursor.next() != nil { found += 1 }
        guard found == records else { throw ValidationError("\(found) records") }
      }.line)
  }

  private func write(_ log: Log, _ people: CollectionIdentifier, _ payloads: [[UInt8]]) throws {
    for (name, durability, count) in [
      ("fillsync", Durability.full, 5_000), ("fillrandom", .process, 200_000),
    ] {
      print(
        try Measurement.run(name, operationCount: count, repetitions: 1) {
          var number = 1
          for index in 0..<count {
            number = number &* 1_103_515_245 &+ 12345
            let batch = log.makeBatch()
            try batch.put(
              PersonRecords.key(Int(UInt(bitPattern: number) >> 16) % records), in: people,
              schemaVersion: 0, payload: payloads[index % payloads.count])
            try log.commit(batch, durability: durability)
          }
        }.line)
    }
    print(try fillsync8(log, people, payloads).line)
  }

  /// Single durable puts from eight threads, which share their synchronizations.
  private func fillsync8(
    _ log: Log, _ people: CollectionIdentifier, _ payloads: [[UInt8]]
  ) throws -> Measurement {
    let count = 20_000
    let records = records
    return Measurement.run("fillsync8", operationCount: count, repetitions: 1) {
      let group = DispatchGroup()
      for thread in 0..<8 {
        group.enter()
        Thread.detachNewThread {
          defer { group.leave() }
          for index in 0..<(count / 8) {
            let batch = log.makeBatch()
            do {
              try batch.put(
                PersonRecords.key((thread * 7919 + index * 104_729) % records), in: people,
                schemaVersion: 0, payload: payloads[index % payloads.count])
              try log.commit(batch, durability: .full)
            } catch { fatalError("\(error)") }
          }
        }
      }
      group.wait()
    }
  }
}
