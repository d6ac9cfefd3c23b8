#if HAS_LMDB
  import CLMDB

  /// LMDB with its defaults; without synchronization where only the process may die.
  final class LMDBEngine: Engine, @unchecked Sendable {
    // An environment may be used from any thread; LMDB lets one writer in at a time.
    let environment: OpaquePointer
    let database: MDB_dbi

    init(_ settings: EngineSettings) throws {
      var environment: OpaquePointer?
      try Self.check(mdb_env_create(&environment))
      guard let environment else { throw BenchmarkError("LMDB made no environment") }
      self.environment = environment
      // An upper bound; the file grows as it is used.
      try Self.check(mdb_env_set_mapsize(environment, settings.expectedByteCount * 8 + (1 << 30)))
      // Read transactions belong to readers, not to threads.
      let flags = UInt32(MDB_NOTLS) | (settings.promise == .powerLoss ? 0 : UInt32(MDB_NOSYNC))
      try Self.check(mdb_env_open(environment, settings.path, flags, 0o644))
      var transaction: OpaquePointer?
      try Self.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
      var database: MDB_dbi = 0
      try Self.check(mdb_dbi_open(transaction, nil, 0, &database))
      try Self.check(mdb_txn_commit(transaction))
      self.database = database
    }

    var version: String {
      String(cString: mdb_version(nil, nil, nil)).replacing(":", with: "")
    }

    func put(_ record: RecordBytes) throws { try write([record], flags: 0) }

    func putBatch(_ records: [RecordBytes], inKeyOrder: Bool) throws {
      try write(records, flags: inKeyOrder ? UInt32(MDB_APPEND) : 0)
    }

    private func write(_ records: [RecordBytes], flags: UInt32) throws {
      var transaction: OpaquePointer?
      try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
      for record in records {
        var key = MDB_val(record.key)
        var value = MDB_val(record.value)
        let code = mdb_put(transaction, database, &key, &value, flags)
        if code != 0 { mdb_txn_abort(transaction) }
        try Self.check(code)
      }
      try Self.check(mdb_txn_commit(transaction))
    }

    func makeReader() throws -> any EngineReader { try LMDBReader(self) }

    /// LMDB compacts by copying the whole environment; its file never shrinks by itself.
    func compact() throws {}

    func close() { mdb_env_close(environment) }

    static func check(_ code: Int32) throws {
      if code != 0 { throw BenchmarkError("LMDB: \(String(cString: mdb_strerror(code)))") }
    }
  }
#endif
