import ObjectStore

/// LogStore upgrades objects as they are read; `migrate` makes that permanent.
final class LogStoreMigration: Migration {
  private let path: String
  private let stepCount: Int
  private let objectCount: Int
  private var store: Store?

  init(path: String, stepCount: Int, objectCount: Int) {
    self.path = path
    self.stepCount = stepCount
    self.objectCount = objectCount
  }

  func firstRead(_ id: Int) throws -> MigratedPerson? {
    store = try open(MigrationStep.history(stepCount))
    return try person(id)
  }

  func finish() throws {
    guard let report = try store?.migrate(), report.isFinished, report.failedCount == 0,
      report.upgradedCount == UInt64(objectCount)
    else { throw BenchmarkError("LogStore did not migrate all of \(objectCount) objects") }
  }

  func person(_ id: Int) throws -> MigratedPerson? {
    try store?.snapshot().get(MigratedPerson.self, id)
  }

  /// With a history that joins names wrongly: an object that it still upgrades is found out.
  func reopen() throws {
    store = try open(MigrationStep.history(stepCount, separator: ", "))
  }

  func close() throws {
    try store?.close()
    store = nil
  }

  private func open(_ history: SchemaHistory) throws -> Store {
    try Store.open(at: path, models: [MigratedPerson.self], history: history)
  }
}
