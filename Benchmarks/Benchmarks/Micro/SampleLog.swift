import Foundation
import LogStore

/// A store with records in sealed segments, in a directory that goes away with it.
final class SampleLog: Sendable {
  let log: Log
  private let directory: TemporaryDirectory

  init(
    keyCount: Int, compression: LogConfiguration.Compression = .automatic
  ) throws {
    directory = try TemporaryDirectory()
    var configuration = LogConfiguration()
    configuration.maintenance = .inline
    configuration.compression = compression
    let path = directory.path(of: "sample.logstore")
    let filling = try Log.open(at: path, configuration: configuration)
    for start in stride(from: 0, to: keyCount, by: 1000) {
      let batch = filling.makeBatch()
      for number in start..<min(start + 1000, keyCount) {
        try batch.put(
          Sample.key(number), in: CollectionIdentifier(1), schemaVersion: 0,
          payload: Sample.payload(number))
      }
      try filling.commit(batch, durability: .process)
    }
    try filling.mergeIndexes()
    try filling.close()
    log = try Log.open(at: path, configuration: configuration)
  }
}
