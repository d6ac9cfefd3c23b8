/// A store of persons whose shape changes. What a release of an application knows of the change,
/// its history or its statements, is made by the first read: that is timed.
protocol Migration: AnyObject {
  /// Opens the store as the new release of an application would, and reads one person.
  func firstRead(_ id: Int) throws -> MigratedPerson?
  /// Rewrites what is still in the old shape; durable on return.
  func finish() throws
  /// A person of the open store.
  func person(_ id: Int) throws -> MigratedPerson?
  /// Opens the migrated store again; what was left in the old shape must not read correctly.
  func reopen() throws
  func close() throws
}
