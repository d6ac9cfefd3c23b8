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

    /// Lends a text to the statement while `body` runs, which carries it out; nothing is copied.
    func withText<Result>(
      _ index: Int32, _ text: String, _ body: () throws -> Result
    ) rethrows -> Result {
      var text = text
      return try text.withUTF8 { bytes in
        let characters = UnsafeRawBufferPointer(bytes).characters
        sqlite3_bind_text(statement, index, characters, Int32(bytes.count), nil)
        return try body()
      }
    }

    /// The same for seven texts that follow one another.
    func withTexts<Result>(
      from index: Int32, _ first: String, _ second: String, _ third: String, _ fourth: String,
      _ fifth: String, _ sixth: String, _ seventh: String, _ body: () throws -> Result
    ) rethrows -> Result {
      try withText(index, first) {
        try withText(index + 1, second) {
          try withText(index + 2, third) {
            try withText(index + 3, fourth) {
              try withText(index + 4, fifth) {
                try withText(index + 5, sixth) { try withText(index + 6, seventh, body) }
              }
            }
          }
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
