#if HAS_SQLITE
  import CSQLite

  /// The connection that writes, with its statements.
  final class SQLiteWriter {
    let connection: SQLiteConnection
    private let keyKind: KeyKind
    private let insert: SQLiteStatement
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement

    init(path: String, promise: Promise, keyKind: KeyKind) throws {
      self.keyKind = keyKind
      connection = try SQLiteConnection(path: path, promise: promise)
      try connection.execute(
        keyKind == .integer
          ? "CREATE TABLE IF NOT EXISTS records(key INTEGER PRIMARY KEY, value BLOB NOT NULL)"
          : """
          CREATE TABLE IF NOT EXISTS records(key BLOB PRIMARY KEY, value BLOB NOT NULL)
          WITHOUT ROWID
          """)
      insert = try SQLiteStatement(
        connection.handle, "INSERT OR REPLACE INTO records VALUES(?1, ?2)")
      begin = try SQLiteStatement(connection.handle, "BEGIN IMMEDIATE")
      commit = try SQLiteStatement(connection.handle, "COMMIT")
    }

    deinit { connection.close() }

    func put(_ record: RecordBytes) throws {
      insert.bind(1, key: record.key, keyKind)
      insert.bind(2, blob: record.value)
      try insert.run()
    }

    func putBatch(_ records: [RecordBytes]) throws {
      try begin.run()
      for record in records { try put(record) }
      try commit.run()
    }
  }
#endif
