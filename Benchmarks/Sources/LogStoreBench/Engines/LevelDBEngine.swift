#if HAS_LEVELDB
  import CLevelDB

  /// LevelDB with Snappy as packaged, and the cache, write buffer and filters that RocksDB gets.
  final class LevelDBEngine: Engine, @unchecked Sendable {
    // LevelDB's handles may be used from any thread; they are freed by `close` alone.
    let database: OpaquePointer
    let readOptions: OpaquePointer
    private let options: OpaquePointer
    private let writeOptions: OpaquePointer
    private let cache: OpaquePointer
    private let filter: OpaquePointer

    init(_ settings: EngineSettings) throws {
      options = leveldb_options_create()
      cache = leveldb_cache_create_lru(EngineSettings.cacheByteCount)
      filter = leveldb_filterpolicy_create_bloom(Int32(EngineSettings.filterBitsPerKey))
      leveldb_options_set_create_if_missing(options, 1)
      leveldb_options_set_write_buffer_size(options, EngineSettings.writeBufferByteCount)
      leveldb_options_set_cache(options, cache)
      leveldb_options_set_filter_policy(options, filter)
      leveldb_options_set_compression(options, Int32(leveldb_snappy_compression))
      writeOptions = leveldb_writeoptions_create()
      leveldb_writeoptions_set_sync(writeOptions, settings.promise == .powerLoss ? 1 : 0)
      readOptions = leveldb_readoptions_create()
      var message: UnsafeMutablePointer<CChar>?
      let opened = leveldb_open(options, settings.path, &message)
      try Self.check(message)
      guard let opened else { throw BenchmarkError("LevelDB did not open \(settings.path)") }
      database = opened
    }

    var version: String { "LevelDB \(leveldb_major_version()).\(leveldb_minor_version())" }

    func put(_ record: RecordBytes) throws {
      var message: UnsafeMutablePointer<CChar>?
      leveldb_put(
        database, writeOptions, record.key.characters, record.key.count,
        record.value.characters, record.value.count, &message)
      try Self.check(message)
    }

    func putBatch(_ records: [RecordBytes], inKeyOrder: Bool) throws {
      let batch = leveldb_writebatch_create()
      defer { leveldb_writebatch_destroy(batch) }
      for record in records {
        leveldb_writebatch_put(
          batch, record.key.characters, record.key.count, record.value.characters,
          record.value.count)
      }
      var message: UnsafeMutablePointer<CChar>?
      leveldb_write(database, writeOptions, batch, &message)
      try Self.check(message)
    }

    func makeReader() -> any EngineReader { LevelDBReader(self) }

    func compact() { leveldb_compact_range(database, nil, 0, nil, 0) }

    func close() {
      leveldb_close(database)
      leveldb_readoptions_destroy(readOptions)
      leveldb_writeoptions_destroy(writeOptions)
      leveldb_options_destroy(options)
      leveldb_cache_destroy(cache)
      leveldb_filterpolicy_destroy(filter)
    }

    static func check(_ message: UnsafeMutablePointer<CChar>?) throws {
      guard let message else { return }
      defer { leveldb_free(message) }
      throw BenchmarkError("LevelDB: \(String(cString: message))")
    }
  }
#endif
