import Benchmark
import BinaryCoding

@testable import LogStore

/// Look-ups and insertions in the index, at each of its ages.
enum IndexBenchmarks {
  private static let collection = CollectionIdentifier(1)
  private static let keyCount = 100_000

  static func define() {
    defineMemoryTable()
    defineRuns()
  }

  private static func value(_ number: Int) -> IndexValue {
    IndexValue(
      sequence: CommitSequence(UInt64(number + 1)), schemaVersion: 0, offset: UInt32(number),
      length: 200, isTombstone: false)
  }

  private static func fill(_ table: MemoryTable, _ numbers: Range<Int>) {
    for number in numbers {
      Sample.key(number).withUnsafeBytes { key in
        table.insert(IndexKey(collection, key), value(number))
      }
    }
  }

  private static func defineMemoryTable() {
    Operation.measure("memory table insert, 10 000 keys", count: 10_000) {
    } _: { _, count in
      let table = MemoryTable()
      fill(table, 0..<count)
      blackHole(table)
    }
    Operation.measure("memory table look-up among 100 000 keys", count: 10_000) {
      let table = MemoryTable()
      fill(table, 0..<keyCount)
      return table
    } _: { (table: MemoryTable, count: Int) in
      for number in 0..<count {
        Sample.key(number &* 7919 % keyCount).withUnsafeBytes { key in
          blackHole(table.find(IndexKey(collection, key)))
        }
      }
    }
  }

  private static func defineRuns() {
    Operation.measure("record of a sealed store, 100 000 keys", count: 10_000) {
      try SampleLog(keyCount: keyCount)
    } _: { (sample: SampleLog, count: Int) in
      let snapshot = sample.log.snapshot()
      for number in 0..<count {
        blackHole(
          try snapshot.record(for: Sample.key(number &* 7919 % keyCount), in: collection))
      }
    }
    Operation.measure("missing key of a sealed store, 100 000 keys", count: 10_000) {
      try SampleLog(keyCount: keyCount)
    } _: { (sample: SampleLog, count: Int) in
      let snapshot = sample.log.snapshot()
      for number in 0..<count {
        blackHole(try snapshot.record(for: Sample.key(keyCount + number), in: collection))
      }
    }
    Operation.measure("scan of a sealed store, per record", count: keyCount) {
      try SampleLog(keyCount: keyCount)
    } _: { (sample: SampleLog, count: Int) in
      let cursor = try sample.log.snapshot().records(in: collection)
      while let length = try cursor.withNext({ record in record.payload.count }) {
        blackHole(length)
      }
    }
  }
}
