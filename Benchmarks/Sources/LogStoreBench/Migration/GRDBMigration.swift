#if HAS_SQLITE
  import GRDB

  /// GRDB's migrator: a transaction for each step.
  final class GRDBMigration: Migration {
    private let path: String
    private let stepCount: Int
    private var pool: DatabasePool?

    init(path: String, stepCount: Int) {
      self.path = path
      self.stepCount = stepCount
    }

    func firstRead(_ id: Int) throws -> MigratedPerson? {
      let pool = try open()
      var migrator = DatabaseMigrator()
      let steps = PersonTable.statements(MigrationStep.chain(stepCount))
      for (index, statements) in steps.enumerated() {
        migrator.registerMigration("step \(index + 1)") { database in
          for statement in statements { try database.execute(sql: statement) }
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

    func reopen() throws { _ = try open() }

    func close() throws {
      try pool?.close()
      pool = nil
    }

    private func open() throws -> DatabasePool {
      let pool = try GRDBEngine.openPool(path: path, settings: SQLiteMigration.settings)
      self.pool = pool
      return pool
    }
  }

  extension MigratedPerson: FetchableRecord, TableRecord {
    static let databaseTableName = "person"

    static var databaseSelection: [any SQLSelectable] { columnNames.map { Column($0) } }

    init(row: Row) {
      self.init(
        id: row[0], fullName: row[1], email: row[2], phone: row[3], birthDate: row[4],
        city: row[5], address: row[6], billingAddress: row[7], country: row[8],
        occupation: row[9], website: row[10], createdAt: row[11], updatedAt: row[12],
        note: row[13], balance: row[14])
    }
  }
#endif
