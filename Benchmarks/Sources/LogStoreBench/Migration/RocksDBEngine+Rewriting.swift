#if HAS_ROCKSDB
  import CRocksDB

  extension RocksDBEngine: RewritableEngine {
    private static let rewrittenBatchCount = 1000
    private static let readAheadByteCount = 2 << 20
    /// Persons that fit in a write buffer, about.
    private static let bufferedRecordCount = 300_000

    private var estimatedRecordCount: UInt64 {
      var count: UInt64 = 0
      return rocksdb_property_int(database, "rocksdb.estimate-num-keys", &count) == 0 ? count : 0
    }

    /// In batches, in the way that is the faster one. What fits in a write buffer goes to the log,
    /// of which the last write is durable and all before it with it. More than that bypasses the
    /// log, and a flush at the end makes it durable. An interrupted run can be started again. What
    /// is read is read once, so that the cache need not keep it.
    func rewriteAll(
      _ transform: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Int?
    ) throws {
      let reading = rocksdb_readoptions_create()
      rocksdb_readoptions_set_fill_cache(reading, 0)
      rocksdb_readoptions_set_readahead_size(reading, Self.readAheadByteCount)
      let iterator = rocksdb_create_iterator(database, reading)
      let batch = rocksdb_writebatch_create()
      let isLogged = estimatedRecordCount <= Self.bufferedRecordCount
      let hasty = rocksdb_writeoptions_create()
      if !isLogged { rocksdb_writeoptions_disable_WAL(hasty, 1) }
      let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: PersonCoding.byteCountMaximum, alignment: 8)
      defer {
        bytes.deallocate()
        rocksdb_writeoptions_destroy(hasty)
        rocksdb_writebatch_destroy(batch)
        rocksdb_iter_destroy(iterator)
        rocksdb_readoptions_destroy(reading)
      }
      var message: UnsafeMutablePointer<CChar>?
      rocksdb_iter_seek_to_first(iterator)
      while rocksdb_iter_valid(iterator) != 0 {
        var keyByteCount = 0
        var valueByteCount = 0
        let key = rocksdb_iter_key(iterator, &keyByteCount)
        let value = rocksdb_iter_value(iterator, &valueByteCount)
        let old = UnsafeRawBufferPointer(start: value, count: valueByteCount)
        if let byteCount = transform(old, bytes) {
          let new = UnsafeRawBufferPointer(bytes)
          rocksdb_writebatch_put(batch, key, keyByteCount, new.characters, byteCount)
        }
        rocksdb_iter_next(iterator)
        let isLast = rocksdb_iter_valid(iterator) == 0
        guard isLast || rocksdb_writebatch_count(batch) >= Self.rewrittenBatchCount else {
          continue
        }
        rocksdb_write(database, isLast && isLogged ? writeOptions : hasty, batch, &message)
        try Self.check(message)
        rocksdb_writebatch_clear(batch)
      }
      rocksdb_iter_get_error(iterator, &message)
      try Self.check(message)
      if !isLogged { try flush() }
    }

    /// Waits until the tables are on disk.
    private func flush() throws {
      let options = rocksdb_flushoptions_create()
      defer { rocksdb_flushoptions_destroy(options) }
      var message: UnsafeMutablePointer<CChar>?
      rocksdb_flush(database, options, &message)
      try Self.check(message)
    }
  }
#endif
