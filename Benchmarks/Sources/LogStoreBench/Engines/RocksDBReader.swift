#if HAS_ROCKSDB
  import CRocksDB

  /// Reads the newest state of a RocksDB store.
  final class RocksDBReader: EngineReader {
    private let engine: RocksDBEngine

    init(_ engine: RocksDBEngine) { self.engine = engine }

    func refresh() {}

    func takeSnapshot() {
      rocksdb_release_snapshot(engine.database, rocksdb_create_snapshot(engine.database))
    }

    func read(
      _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws -> Bool {
      var message: UnsafeMutablePointer<CChar>?
      let slice = rocksdb_get_pinned(
        engine.database, engine.readOptions, key.characters, key.count, &message)
      try RocksDBEngine.check(message)
      guard let slice else { return false }
      var count = 0
      let value = rocksdb_pinnableslice_value(slice, &count)
      body(UnsafeRawBufferPointer(start: value, count: count))
      rocksdb_pinnableslice_destroy(slice)
      return true
    }

    func scan(
      from start: UnsafeRawBufferPointer?, limit: Int,
      _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws -> Int {
      let iterator = rocksdb_create_iterator(engine.database, engine.readOptions)
      defer { rocksdb_iter_destroy(iterator) }
      if let start {
        rocksdb_iter_seek(iterator, start.characters, start.count)
      } else {
        rocksdb_iter_seek_to_first(iterator)
      }
      var count = 0
      while count < limit, rocksdb_iter_valid(iterator) != 0 {
        var keyByteCount = 0
        var valueByteCount = 0
        let key = rocksdb_iter_key(iterator, &keyByteCount)
        let value = rocksdb_iter_value(iterator, &valueByteCount)
        body(
          UnsafeRawBufferPointer(start: key, count: keyByteCount),
          UnsafeRawBufferPointer(start: value, count: valueByteCount))
        count += 1
        rocksdb_iter_next(iterator)
      }
      var message: UnsafeMutablePointer<CChar>?
      rocksdb_iter_get_error(iterator, &message)
      try RocksDBEngine.check(message)
      return count
    }
  }
#endif
