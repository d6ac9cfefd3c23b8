#if HAS_SQLITE
  import GRDB

  /// GRDB's migrator: a transaction for each step.
  final class GRDBMigration: Migration {
    private let path: String
    private let steps: [MigrationStep]
    private var pool: DatabasePool?

    init(path: String, stepCount: Int) {
      self.path = path
      steps = MigrationStep.chain(stepCount)
    }

    func firstRead(_ id: Int) throws -> MigratedPerson? {
      let pool = try GRDBEngine.openPool(path: path)
      self.pool = pool
      var migrator = DatabaseMigrator()
      for (index, step) in steps.enumerated() {
        migrator.registerMigration("step \(index + 1)") { database in
          for statement in step.statements { try database.execute(sql: statement) }
        }
      }
      try migrator.migrate(pool)
      return try person(id)
    }

    /// All is done before the first read.
    func finish() {}

    func person(_ id: Int) throws -> MigratedPerson? {
      try pool?.read { try MigratedPerson.fetchOne($0, key: id) }
    }

    func close() throws { try pool?.close() }
  }

  extension MigratedPerson: FetchableRecord, TableRecord {
    static let databaseTableName = "person"

    init(row: Row) {
      self.init()
      id = row["id"]
      fullName = row["fullName"]
      for (name, text) in zip(Person.memberNames.dropFirst(2), MigratedPerson.texts) {
        self[keyPath: text] = row[name]
      }
      balance = row["balance"]
    }
  }
#endif
