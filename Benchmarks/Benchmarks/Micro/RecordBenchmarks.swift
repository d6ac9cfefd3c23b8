import Benchmark
import BinaryCoding

@testable import LogStore

/// Encoding, checking and decoding of records, and the checksums beneath them.
enum RecordBenchmarks {
  private static let collection = CollectionIdentifier(1)

  static func define() {
    defineChecksums()
    defineEncoding()
    defineDecoding()
  }

  private static func defineChecksums() {
    Operation.measure("CRC-32C of 256 bytes", count: 100_000) {
      [UInt8](repeating: 7, count: 256)
    } _: { bytes, count in
      bytes.withUnsafeBytes { bytes in
        for _ in 0..<count { blackHole(Checksum.crc32c(bytes)) }
      }
    }
    Operation.measure("XXH64 of 4 KiB", count: 10_000) {
      [UInt8](repeating: 7, count: 4096)
    } _: { bytes, count in
      bytes.withUnsafeBytes { bytes in
        for seed in 0..<count { blackHole(Checksum.xxh64(bytes, seed: UInt64(seed))) }
      }
    }
  }

  private static func defineEncoding() {
    for (name, compression) in [
      ("raw", LogConfiguration.Compression.none), ("compressed", .automatic),
    ] {
      Operation.measure("record encode, \(name)") {
        (
          try SampleLog(keyCount: 0, compression: compression),
          (0..<1000).map { (Sample.key($0), Sample.payload($0)) }
        )
      } _: { (state: (sample: SampleLog, records: [([UInt8], [UInt8])]), count: Int) in
        let batch = state.sample.log.makeBatch()
        for number in 0..<count {
          let (key, payload) = state.records[number]
          try batch.put(key, in: collection, schemaVersion: 0, payload: payload)
        }
        blackHole(batch)
      }
    }
  }

  private static func defineDecoding() {
    for (name, compression) in [
      ("raw", LogConfiguration.Compression.none), ("compressed", .automatic),
    ] {
      Operation.measure("record check and decode, \(name)") {
        let batch = try SampleLog(keyCount: 0, compression: compression).log.makeBatch()
        for number in 0..<1000 {
          try batch.put(
            Sample.key(number), in: collection, schemaVersion: 0, payload: Sample.payload(number))
        }
        let frame = batch.number(after: .zero, seed: 7, flags: [.lastOfCommit])
        return EncodedRecords(batch: batch, bytes: [UInt8](frame.body))
      } _: { (encoded: EncodedRecords, count: Int) in
        try encoded.bytes.withUnsafeBytes { bytes in
          for (number, change) in encoded.batch.changes.enumerated() where number < count {
            let record = try RecordDecoder.decode(
              UnsafeRawBufferPointer(
                rebasing: bytes[change.recordStart..<(change.recordStart + change.recordLength)]),
              sequence: CommitSequence(UInt64(number + 1)), seed: 7)
            blackHole(
              try RecordDecoder.payload(
                of: record, against: .empty))
          }
        }
      }
    }
  }
}

/// Records as they lie in a segment, and where each of them is.
private struct EncodedRecords: @unchecked Sendable {
  // Sendable: nothing in it changes.
  let batch: WriteBatch
  let bytes: [UInt8]
}
