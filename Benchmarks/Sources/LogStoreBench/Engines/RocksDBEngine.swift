#if HAS_ROCKSDB
  import CRocksDB
  import Foundation

  /// RocksDB with LZ4, a block cache, filters, and as many background threads as there are cores.
  final class RocksDBEngine: Engine, @unchecked Sendable {
    // RocksDB's handles may be used from any thread; they are freed by `close` alone.
    let database: OpaquePointer
    let readOptions: OpaquePointer
    private let options: OpaquePointer
    let writeOptions: OpaquePointer
    private let path: String

    init(_ settings: EngineSettings) throws {
      options = rocksdb_options_create()
      rocksdb_options_set_create_if_missing(options, 1)
      let processorCount = ProcessInfo.processInfo.activeProcessorCount
      rocksdb_options_increase_parallelism(options, Int32(processorCount))
      rocksdb_options_set_max_subcompactions(options, UInt32(processorCount))
      rocksdb_options_set_compression(options, Int32(rocksdb_lz4_compression))
      rocksdb_options_set_write_buffer_size(options, EngineSettings.writeBufferByteCount)
      let table = rocksdb_block_based_options_create()
      rocksdb_block_based_options_set_filter_policy(
        table, rocksdb_filterpolicy_create_bloom_full(Double(EngineSettings.filterBitsPerKey)))
      let cache = rocksdb_cache_create_lru(EngineSettings.cacheByteCount)
      rocksdb_block_based_options_set_block_cache(table, cache)
      rocksdb_options_set_block_based_table_factory(options, table)
      rocksdb_cache_destroy(cache)
      rocksdb_block_based_options_destroy(table)
      writeOptions = rocksdb_writeoptions_create()
      rocksdb_writeoptions_set_sync(writeOptions, settings.promise == .powerLoss ? 1 : 0)
      readOptions = rocksdb_readoptions_create()
      path = settings.path
      var message: UnsafeMutablePointer<CChar>?
      let opened = rocksdb_open(options, settings.path, &message)
      try Self.check(message)
      guard let opened else { throw BenchmarkError("RocksDB did not open \(path)") }
      database = opened
    }

    /// As RocksDB writes it to its own log: the C interface has no call for it.
    var version: String {
      let text = (try? String(contentsOfFile: path + "/LOG", encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.contains("RocksDB version: ") }
      return "RocksDB \(line?.split(separator: " ").last ?? "of an unknown version")"
    }

    func put(_ record: RecordBytes) throws {
      var message: UnsafeMutablePointer<CChar>?
      rocksdb_put(
        database, writeOptions, record.key.characters, record.key.count,
        record.value.characters, record.value.count, &message)
      try Self.check(message)
    }

    func putBatch(_ records: [RecordBytes], inKeyOrder: Bool) throws {
      let batch = rocksdb_writebatch_create()
      defer { rocksdb_writebatch_destroy(batch) }
      for record in records {
        rocksdb_writebatch_put(
          batch, record.key.characters, record.key.count, record.value.characters,
          record.value.count)
      }
      var message: UnsafeMutablePointer<CChar>?
      rocksdb_write(database, writeOptions, batch, &message)
      try Self.check(message)
    }

    func makeReader() -> any EngineReader { RocksDBReader(self) }

    func compact() { rocksdb_compact_range(database, nil, 0, nil, 0) }

    func close() {
      rocksdb_close(database)
      rocksdb_readoptions_destroy(readOptions)
      rocksdb_writeoptions_destroy(writeOptions)
      rocksdb_options_destroy(options)
    }

    static func check(_ message: UnsafeMutablePointer<CChar>?) throws {
      guard let message else { return }
      defer { rocksdb_free(message) }
      throw BenchmarkError("RocksDB: \(String(cString: message))")
    }
  }
#endif
