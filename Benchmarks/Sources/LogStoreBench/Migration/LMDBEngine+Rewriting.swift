#if HAS_LMDB
  import CLMDB

  extension LMDBEngine: RewritableEngine {
    /// In one transaction: all or nothing.
    func rewriteAll(_ transform: (UnsafeRawBufferPointer, inout [UInt8]) -> Void) throws {
      var transaction: OpaquePointer?
      var cursor: OpaquePointer?
      try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
      try Self.check(mdb_cursor_open(transaction, database, &cursor))
      var key = MDB_val()
      var value = MDB_val()
      var bytes: [UInt8] = []
      var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
      while code == 0 {
        bytes.removeAll(keepingCapacity: true)
        transform(value.bytes, &bytes)
        // A copy: the put moves the page's bytes, those of the key among them.
        let keyBytes = [UInt8](key.bytes)
        try bytes.withUnsafeBytes { bytes in
          try keyBytes.withUnsafeBytes { keyBytes in
            var key = MDB_val(keyBytes)
            var value = MDB_val(bytes)
            try Self.check(mdb_cursor_put(cursor, &key, &value, UInt32(MDB_CURRENT)))
          }
        }
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      }
      if code != MDB_NOTFOUND { try Self.check(code) }
      mdb_cursor_close(cursor)
      try Self.check(mdb_txn_commit(transaction))
    }
  }
#endif
