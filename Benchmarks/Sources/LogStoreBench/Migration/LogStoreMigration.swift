import ObjectStore

/// LogStore upgrades objects as they are read; `migrate` makes that permanent.
final class LogStoreMigration: Migration {
  private let path: String
  private let history: SchemaHistory
  private var store: Store?

  init(path: String, stepCount: Int) {
    self.path = path
    history = MigrationStep.history(stepCount)
  }

  func firstRead(_ id: Int) throws -> MigratedPerson? {
    store = try Store.open(at: path, models: [MigratedPerson.self], history: history)
    return try person(id)
  }

  func finish() throws { try store?.migrate() }

  func person(_ id: Int) throws -> MigratedPerson? {
    try store?.snapshot().get(MigratedPerson.self, id)
  }

  func close() throws { try store?.close() }
}
