#if HAS_LMDB
  import CLMDB

  /// Reads in one transaction, which is renewed to see what was written since.
  final class LMDBReader: EngineReader {
    private let database: MDB_dbi
    private let keyKind: KeyKind
    private let transaction: OpaquePointer
    private let cursor: OpaquePointer

    init(_ engine: LMDBEngine) throws {
      database = engine.database
      keyKind = engine.keyKind
      var transaction: OpaquePointer?
      try LMDBEngine.check(
        mdb_txn_begin(engine.environment, nil, UInt32(MDB_RDONLY), &transaction))
      var cursor: OpaquePointer?
      try LMDBEngine.check(mdb_cursor_open(transaction, database, &cursor))
      guard let transaction, let cursor else { throw BenchmarkError("LMDB made no cursor") }
      self.transaction = transaction
      self.cursor = cursor
    }

    deinit {
      mdb_cursor_close(cursor)
      mdb_txn_abort(transaction)
    }

    func refresh() throws {
      mdb_txn_reset(transaction)
      try LMDBEngine.check(mdb_txn_renew(transaction))
      try LMDBEngine.check(mdb_cursor_renew(transaction, cursor))
    }

    func takeSnapshot() throws { try refresh() }

    func read(
      _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws -> Bool {
      var value = MDB_val()
      let code = keyKind.withLMDBKey(key) { mdb_get(transaction, database, &$0, &value) }
      if code == MDB_NOTFOUND { return false }
      try LMDBEngine.check(code)
      body(value.bytes)
      return true
    }

    func scan(
      from start: UnsafeRawBufferPointer?, limit: Int,
      _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws -> Int {
      var key = MDB_val()
      var value = MDB_val()
      var code: Int32
      if let start {
        code = keyKind.withLMDBKey(start) { asked in
          defer { key = asked }
          return mdb_cursor_get(cursor, &asked, &value, MDB_SET_RANGE)
        }
      } else {
        code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
      }
      var count = 0
      while code == 0 {
        keyKind.withCommonKey(key) { body($0, value.bytes) }
        count += 1
        if count == limit { return count }
        code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
      }
      if code != MDB_NOTFOUND { try LMDBEngine.check(code) }
      return count
    }
  }
#endif
