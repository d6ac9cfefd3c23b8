internal import CPrefetch
import Foundation

/// How often each record was written: what every read must find follows from it.
///
/// A record's first value is its own in the record file; each later one is that of another record.
final class Generations: @unchecked Sendable {
  // Threads that write at the same time write different records.
  private let counts: UnsafeMutableBufferPointer<UInt32>
  private let records: RecordFile

  /// Values move by this many records with each generation.
  private static let stride = 7919

  init(_ records: RecordFile, readingFrom path: String?) throws {
    self.records = records
    counts = .allocate(capacity: records.count)
    counts.initialize(repeating: 0)
    guard let path else { return }
    let bytes = try Data(contentsOf: URL(filePath: path))
    guard bytes.count == records.count * 4 else {
      throw BenchmarkError("\(path) is of another run")
    }
    bytes.copyBytes(to: UnsafeMutableRawBufferPointer(counts))
  }

  deinit { counts.deallocate() }

  func write(to path: String) throws {
    try Data(buffer: counts).write(to: URL(filePath: path))
  }

  /// The record to write next under that number.
  func next(_ number: Int) -> RecordBytes {
    RecordBytes(key: records.key(number), value: value(number, Int(counts[number])))
  }

  /// Asks for the memory that says how often a record was written.
  func askForCount(of number: Int) {
    guard let base = counts.baseAddress else { return }
    logstore_bench_prefetch(base + number, 1)
  }

  /// Asks for the memory that says where the record lies to write next under that number.
  func askForPlace(of number: Int) {
    records.askForPlace(number)
    records.askForPlace(valueNumber(number, Int(counts[number])))
  }

  /// Asks for the memory of the record to write next under that number.
  func askForBytes(of number: Int) {
    let record = next(number)
    logstore_bench_prefetch(record.key.baseAddress, record.key.count)
    logstore_bench_prefetch(record.value.baseAddress, record.value.count)
  }

  /// Notes that it was written.
  func advance(_ number: Int) { counts[number] += 1 }

  /// What a read must find, or nothing when the record was never written.
  func expected(_ number: Int) -> UnsafeRawBufferPointer? {
    counts[number] == 0 ? nil : value(number, Int(counts[number]) - 1)
  }

  /// How many records there are.
  var liveCount: Int { counts.count { $0 > 0 } }

  private func value(_ number: Int, _ generation: Int) -> UnsafeRawBufferPointer {
    records.value(valueNumber(number, generation))
  }

  private func valueNumber(_ number: Int, _ generation: Int) -> Int {
    (number + generation * Self.stride) % records.count
  }
}
