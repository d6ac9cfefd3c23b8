#if HAS_LEVELDB
  import CLevelDB

  /// Reads the newest state of a LevelDB store.
  final class LevelDBReader: EngineReader {
    private let engine: LevelDBEngine

    init(_ engine: LevelDBEngine) { self.engine = engine }

    func refresh() {}

    func takeSnapshot() {
      leveldb_release_snapshot(engine.database, leveldb_create_snapshot(engine.database))
    }

    func read(
      _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws -> Bool {
      var message: UnsafeMutablePointer<CChar>?
      var count = 0
      let value = leveldb_get(
        engine.database, engine.readOptions, key.characters, key.count, &count, &message)
      try LevelDBEngine.check(message)
      guard let value else { return false }
      body(UnsafeRawBufferPointer(start: value, count: count))
      leveldb_free(value)
      return true
    }

    func scan(
      from start: UnsafeRawBufferPointer?, limit: Int,
      _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws -> Int {
      let iterator = leveldb_create_iterator(engine.database, engine.readOptions)
      defer { leveldb_iter_destroy(iterator) }
      if let start {
        leveldb_iter_seek(iterator, start.characters, start.count)
      } else {
        leveldb_iter_seek_to_first(iterator)
      }
      var count = 0
      while count < limit, leveldb_iter_valid(iterator) != 0 {
        var keyByteCount = 0
        var valueByteCount = 0
        let key = leveldb_iter_key(iterator, &keyByteCount)
        let value = leveldb_iter_value(iterator, &valueByteCount)
        body(
          UnsafeRawBufferPointer(start: key, count: keyByteCount),
          UnsafeRawBufferPointer(start: value, count: valueByteCount))
        count += 1
        leveldb_iter_next(iterator)
      }
      var message: UnsafeMutablePointer<CChar>?
      leveldb_iter_get_error(iterator, &message)
      try LevelDBEngine.check(message)
      return count
    }
  }
#endif
