#if HAS_SQLITE
  import CSQLite

  /// A connection with the settings of the comparison: WAL, pages read through a mapping, no mutex,
  /// as each connection is used by one thread at a time; GRDB's are the same.
  final class SQLiteConnection {
    let handle: OpaquePointer

    init(path: String, promise: Promise) throws {
      var handle: OpaquePointer?
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
      let code = sqlite3_open_v2(path, &handle, flags, nil)
      guard code == SQLITE_OK, let handle else {
        throw BenchmarkError("SQLite did not open \(path): code \(code)")
      }
      self.handle = handle
      // In WAL mode FULL synchronizes each commit. Without any synchronization a killed process is
      // survived still.
      let synchronous = promise == .powerLoss ? "FULL" : "OFF"
      let pageByteCount = 4096
      let cacheKibibytes = EngineSettings.cacheByteCount >> 10
      // The timeout first: another connection that is closing may have it locked for a while.
      try execute(
        """
        PRAGMA busy_timeout=60000; PRAGMA journal_mode=WAL; PRAGMA synchronous=\(synchronous);
        PRAGMA mmap_size=2147418112; PRAGMA cache_size=-\(cacheKibibytes);
        PRAGMA wal_autocheckpoint=\(EngineSettings.writeBufferByteCount / pageByteCount)
        """)
    }

    func execute(_ text: String) throws {
      guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else {
        throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle))) in \(text)")
      }
    }

    func close() { sqlite3_close_v2(handle) }
  }
#endif
