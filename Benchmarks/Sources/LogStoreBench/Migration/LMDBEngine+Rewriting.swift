#if HAS_LMDB
  import CLMDB

  extension LMDBEngine: RewritableEngine {
    /// Records of a transaction. More or all of them together were not faster, and took more memory
    /// and disk; fewer were slower.
    private static let rewrittenBatchCount = 30_000

    /// Keys have at most 511 bytes.
    private static let keyByteCountMaximum = 511

    /// In durable transactions, so that what one frees is used by the next but one. An interrupted
    /// run can be started again.
    func rewriteAll(
      _ transform: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Int?
    ) throws {
      let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: PersonCoding.byteCountMaximum, alignment: 8)
      // Aligned, as keys that are integers must be.
      let keyBytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Self.keyByteCountMaximum, alignment: 8)
      defer {
        bytes.deallocate()
        keyBytes.deallocate()
      }
      var lastKey: MDB_val?
      repeat {
        lastKey = try rewrite(Self.rewrittenBatchCount, after: lastKey, keyBytes, bytes, transform)
      } while lastKey != nil
    }

    /// Rewrites at most `count` values in a transaction; returns the last key, which lies in
    /// `keyBytes`, or nothing at the end.
    private func rewrite(
      _ count: Int, after lastKey: MDB_val?, _ keyBytes: UnsafeMutableRawBufferPointer,
      _ bytes: UnsafeMutableRawBufferPointer,
      _ transform: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Int?
    ) throws -> MDB_val? {
      var transaction: OpaquePointer?
      var cursor: OpaquePointer?
      try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
      try Self.check(mdb_cursor_open(transaction, database, &cursor))
      var key = lastKey ?? MDB_val()
      var value = MDB_val()
      var remainingCount = count
      var code: Int32
      if lastKey != nil {
        code = mdb_cursor_get(cursor, &key, &value, MDB_SET)
        if code == 0 { code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT) }
      } else {
        code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
      }
      while code == 0 {
        // A copy: the put moves the page's bytes, those of the key among them.
        keyBytes.copyMemory(from: key.bytes)
        key.mv_data = keyBytes.baseAddress
        if let byteCount = transform(value.bytes, bytes) {
          value = MDB_val(mv_size: byteCount, mv_data: bytes.baseAddress)
          try Self.check(mdb_cursor_put(cursor, &key, &value, UInt32(MDB_CURRENT)))
        }
        remainingCount -= 1
        if remainingCount == 0 { break }
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      }
      if code != 0, code != MDB_NOTFOUND { try Self.check(code) }
      mdb_cursor_close(cursor)
      try Self.check(mdb_txn_commit(transaction))
      return code == 0 ? key : nil
    }
  }
#endif
