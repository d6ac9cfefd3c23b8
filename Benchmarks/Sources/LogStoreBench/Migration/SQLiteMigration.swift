#if HAS_SQLITE
  /// SQLite: each step's statements, all in one transaction. The steps are not fused: migrators,
  /// GRDB's among them, carry them out one after the other.
  final class SQLiteMigration: Migration {
    private let path: String
    private let stepCount: Int
    private var connection: SQLiteConnection?
    private var reader: SQLitePersonReader?

    /// Freed pages need not be overwritten, as some builds of SQLite do. The cache is as large as
    /// SQLite makes it by itself: 16 and 256 MiB were no faster.
    static let settings = "PRAGMA secure_delete=OFF; PRAGMA cache_size=-2000"

    init(path: String, stepCount: Int) {
      self.path = path + "/store.sqlite"
      self.stepCount = stepCount
    }

    func firstRead(_ id: Int) throws -> MigratedPerson? {
      let connection = try open()
      try connection.execute("BEGIN IMMEDIATE")
      for statement in PersonTable.statements(MigrationStep.chain(stepCount)).joined() {
        try connection.execute(statement)
      }
      try connection.execute("PRAGMA user_version=\(stepCount); COMMIT")
      reader = try SQLitePersonReader(connection)
      return try person(id)
    }

    /// All is done before the first read.
    func finish() {}

    func person(_ id: Int) throws -> MigratedPerson? { try reader?.person(id) }

    func reopen() throws { reader = try SQLitePersonReader(open()) }

    func close() {
      reader = nil
      connection?.close()
      connection = nil
    }

    private func open() throws -> SQLiteConnection {
      let connection = try SQLiteConnection(path: path, promise: .powerLoss)
      self.connection = connection
      try connection.execute(Self.settings)
      return connection
    }
  }
#endif
