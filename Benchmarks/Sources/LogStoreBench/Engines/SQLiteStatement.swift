#if HAS_SQLITE
  import CSQLite

  /// A prepared statement; used by the thread that has its connection.
  final class SQLiteStatement {
    private let statement: OpaquePointer

    init(_ connection: OpaquePointer, _ text: String) throws {
      var statement: OpaquePointer?
      let code = sqlite3_prepare_v2(connection, text, -1, &statement, nil)
      guard code == SQLITE_OK, let statement else {
        throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(connection))) in \(text)")
      }
      self.statement = statement
    }

    deinit { sqlite3_finalize(statement) }

    func bind(_ index: Int32, _ integer: Int64) { sqlite3_bind_int64(statement, index, integer) }

    /// The bytes must stay until the statement is reset.
    func bind(_ index: Int32, blob: UnsafeRawBufferPointer) {
      sqlite3_bind_blob(statement, index, blob.baseAddress, Int32(blob.count), nil)
    }

    /// SQLite copies the text.
    func bind(_ index: Int32, text: String) {
      var text = text
      text.withUTF8 { bytes in
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        bytes.withMemoryRebound(to: CChar.self) { characters in
          _ = sqlite3_bind_text(
            statement, index, characters.baseAddress, Int32(characters.count), copied)
        }
      }
    }

    /// True when there is a row, false at the end.
    func step() throws -> Bool {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: return true
      case SQLITE_DONE: return false
      default:
        let connection = sqlite3_db_handle(statement)
        throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(connection)))")
      }
    }

    func reset() { sqlite3_reset(statement) }

    /// Carries out a statement that gives no rows.
    func run() throws {
      defer { reset() }
      _ = try step()
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String {
      let start = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(
        start: sqlite3_column_blob(statement, column),
        count: Int(sqlite3_column_bytes(statement, column)))
    }
  }
#endif
