#if HAS_ROCKSDB
  import CRocksDB

  extension RocksDBEngine: RewritableEngine {
    /// In batches of a thousand, of which the last is durable and all before it with it. Values
    /// tell their shape, so that an interrupted run can be started again.
    func rewriteAll(_ transform: (UnsafeRawBufferPointer, inout [UInt8]) -> Void) throws {
      let iterator = rocksdb_create_iterator(database, readOptions)
      let batch = rocksdb_writebatch_create()
      let hasty = rocksdb_writeoptions_create()
      defer {
        rocksdb_writeoptions_destroy(hasty)
        rocksdb_writebatch_destroy(batch)
        rocksdb_iter_destroy(iterator)
      }
      var bytes: [UInt8] = []
      var message: UnsafeMutablePointer<CChar>?
      rocksdb_iter_seek_to_first(iterator)
      while rocksdb_iter_valid(iterator) != 0 {
        var keyByteCount = 0
        var valueByteCount = 0
        let key = rocksdb_iter_key(iterator, &keyByteCount)
        let value = rocksdb_iter_value(iterator, &valueByteCount)
        bytes.removeAll(keepingCapacity: true)
        transform(UnsafeRawBufferPointer(start: value, count: valueByteCount), &bytes)
        bytes.withUnsafeBytes { bytes in
          rocksdb_writebatch_put(batch, key, keyByteCount, bytes.characters, bytes.count)
        }
        rocksdb_iter_next(iterator)
        let isLast = rocksdb_iter_valid(iterator) == 0
        guard isLast || rocksdb_writebatch_count(batch) >= 1000 else { continue }
        rocksdb_write(database, isLast ? writeOptions : hasty, batch, &message)
        try Self.check(message)
        rocksdb_writebatch_clear(batch)
      }
      rocksdb_iter_get_error(iterator, &message)
      try Self.check(message)
    }
  }
#endif
