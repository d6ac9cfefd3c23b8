import Benchmark
import BinaryCoding

@testable import LogStore

/// LZ4 with a dictionary: as commits do, as rewrites do, and back.
enum DictionaryBenchmarks {
  static func define() {
    measure("LZ4 with a dictionary, compress", .quick)
    measure("LZ4 with a dictionary, compress as rewrites do", .thorough)
    Operation.measure("LZ4 with a dictionary, decompress") {
      SampleDictionary()
    } _: { (sample: SampleDictionary, count: Int) in
      for number in 0..<count {
        sample.compressed[number].withBytes {
          blackHole(
            RecordCompression.decompress(
              $0, rawLength: sample.payloads[number].count, against: sample.dictionary.lent))
        }
      }
    }
  }
}

extension DictionaryBenchmarks {
  private static func measure(_ name: String, _ effort: CompressionEffort) {
    Operation.measure(name) {
      SampleDictionary()
    } _: { (sample: SampleDictionary, count: Int) in
      let state = CompressionState.make()
      var scratch = ByteWriter(capacity: 4 << 10)
      for number in 0..<count {
        sample.payloads[number].withBytes {
          blackHole(
            RecordCompression.compress(
              $0, against: sample.dictionary, effort, into: &scratch, with: state))
        }
      }
    }
  }
}

/// A dictionary with payloads that gain by it.
private struct SampleDictionary: Sendable {
  let payloads: [[UInt8]]
  let compressed: [[UInt8]]
  let dictionary: CompressionDictionary

  init() {
    payloads = (0..<1000).map(Sample.payload)
    let training = DictionaryTraining((1000..<5000).map(Sample.payload))
    dictionary = training.best(
      DictionaryIdentifier(1),
      CollectionVersion(collection: CollectionIdentifier(1), schemaVersion: 0),
      byteCount: 32 << 10)
    let dictionary = dictionary
    let state = CompressionState.make()
    var scratch = ByteWriter(capacity: 4 << 10)
    compressed = payloads.map { payload in
      payload.withBytes {
        _ = RecordCompression.compress(
          $0, against: dictionary, savesAnything: true, into: &scratch, with: state)
        return scratch.array()
      }
    }
  }
}
