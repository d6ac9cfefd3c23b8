/// A store of persons whose shape changes.
protocol Migration: AnyObject {
  /// Opens the store as the new release of an application would, and reads one person.
  func firstRead(_ id: Int) throws -> MigratedPerson?
  /// Rewrites what is still in the old shape; durable on return.
  func finish() throws
  /// A person of the open store.
  func person(_ id: Int) throws -> MigratedPerson?
  func close() throws
}
