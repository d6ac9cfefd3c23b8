#if HAS_LMDB
  import CLMDB
  import Foundation

  /// LMDB, with its own kind of integer keys; where only the process may die, it writes through its
  /// mapping and synchronizes nothing.
  final class LMDBEngine: Engine, @unchecked Sendable {
    // An environment may be used from any thread; LMDB lets one writer in at a time. Both are made
    // anew by a compaction, beside which nobody uses them.
    private(set) var environment: OpaquePointer
    private(set) var database: MDB_dbi
    let keyKind: KeyKind
    private let settings: EngineSettings

    init(_ settings: EngineSettings) throws {
      self.settings = settings
      keyKind = settings.keyKind
      (environment, database) = try Self.open(settings)
    }

    private static func open(_ settings: EngineSettings) throws -> (OpaquePointer, MDB_dbi) {
      var environment: OpaquePointer?
      try check(mdb_env_create(&environment))
      guard let environment else { throw BenchmarkError("LMDB made no environment") }
      // An upper bound; the file grows as it is used.
      try check(mdb_env_set_mapsize(environment, settings.expectedByteCount * 8 + (1 << 30)))
      let unsynchronized = UInt32(MDB_WRITEMAP) | UInt32(MDB_MAPASYNC)
      // Read transactions belong to readers, not to threads.
      let flags = UInt32(MDB_NOTLS) | (settings.promise == .powerLoss ? 0 : unsynchronized)
      try check(mdb_env_open(environment, settings.path, flags, 0o644))
      var transaction: OpaquePointer?
      try check(mdb_txn_begin(environment, nil, 0, &transaction))
      var database: MDB_dbi = 0
      let kind = settings.keyKind == .integer ? UInt32(MDB_INTEGERKEY) : 0
      try check(mdb_dbi_open(transaction, nil, kind, &database))
      try check(mdb_txn_commit(transaction))
      return (environment, database)
    }

    var version: String {
      String(cString: mdb_version(nil, nil, nil)).replacing(":", with: "")
    }

    func put(_ record: RecordBytes) throws { try write([record], flags: 0) }

    func putLast(_ record: RecordBytes) throws { try write([record], flags: UInt32(MDB_APPEND)) }

    func putBatch(_ records: [RecordBytes], inKeyOrder: Bool) throws {
      try write(records, flags: inKeyOrder ? UInt32(MDB_APPEND) : 0)
    }

    private func write(_ records: [RecordBytes], flags: UInt32) throws {
      var transaction: OpaquePointer?
      try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
      for record in records {
        var value = MDB_val(record.value)
        let code = keyKind.withLMDBKey(record.key) { key in
          mdb_put(transaction, database, &key, &value, flags)
        }
        if code != 0 { mdb_txn_abort(transaction) }
        try Self.check(code)
      }
      try Self.check(mdb_txn_commit(transaction))
    }

    func makeReader() throws -> any EngineReader { try LMDBReader(self) }

    /// LMDB has nothing that gives space back while others write.
    func compact() throws {}

    /// Copies the environment without what is free, and takes the copy.
    func compactAlone() throws {
      let copy = settings.path + "/copy"
      try FileManager.default.createDirectory(
        atPath: copy, withIntermediateDirectories: true)
      try Self.check(mdb_env_copy2(environment, copy, UInt32(MDB_CP_COMPACT)))
      try FileSpace.synchronize(copy + "/data.mdb")
      mdb_env_close(environment)
      guard rename(copy + "/data.mdb", settings.path + "/data.mdb") == 0 else {
        throw BenchmarkError("the copy of LMDB's file was not renamed: errno \(errno)")
      }
      try FileSpace.synchronize(settings.path)
      try FileManager.default.removeItem(atPath: copy)
      (environment, database) = try Self.open(settings)
    }

    func close() { mdb_env_close(environment) }

    static func check(_ code: Int32) throws {
      if code != 0 { throw BenchmarkError("LMDB: \(String(cString: mdb_strerror(code)))") }
    }
  }
#endif
