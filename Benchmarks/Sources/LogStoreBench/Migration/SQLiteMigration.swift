#if HAS_SQLITE
  /// SQLite: each step's statements, all in one transaction.
  final class SQLiteMigration: Migration {
    private let path: String
    private let steps: [MigrationStep]
    private var connection: SQLiteConnection?
    private var reader: SQLitePersonReader?

    init(path: String, stepCount: Int) {
      self.path = path + "/store.sqlite"
      steps = MigrationStep.chain(stepCount)
    }

    func firstRead(_ id: Int) throws -> MigratedPerson? {
      let connection = try SQLiteConnection(path: path, promise: .powerLoss)
      self.connection = connection
      try connection.execute("BEGIN IMMEDIATE")
      for statement in steps.flatMap(\.statements) { try connection.execute(statement) }
      try connection.execute("PRAGMA user_version=\(steps.count); COMMIT")
      reader = try SQLitePersonReader(connection)
      return try person(id)
    }

    /// All is done before the first read.
    func finish() {}

    func person(_ id: Int) throws -> MigratedPerson? { try reader?.person(id) }

    func close() {
      reader = nil
      connection?.close()
    }
  }
#endif
