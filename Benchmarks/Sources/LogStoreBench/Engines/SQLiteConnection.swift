#if HAS_SQLITE
  import CSQLite

  /// A connection with the settings of the comparison: WAL, pages read through a mapping.
  final class SQLiteConnection {
    let handle: OpaquePointer

    init(path: String, promise: Promise) throws {
      var handle: OpaquePointer?
      let code = sqlite3_open(path, &handle)
      guard code == SQLITE_OK, let handle else {
        throw BenchmarkError("SQLite did not open \(path): code \(code)")
      }
      self.handle = handle
      // In WAL mode FULL synchronizes each commit; NORMAL leaves that to the checkpoints, which a
      // killed process survives.
      let synchronous = promise == .powerLoss ? "FULL" : "NORMAL"
      // The timeout first: another connection that is closing may have it locked for a while.
      try execute(
        """
        PRAGMA busy_timeout=60000; PRAGMA journal_mode=WAL; PRAGMA synchronous=\(synchronous);
        PRAGMA mmap_size=2147418112; PRAGMA cache_size=-16384
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
