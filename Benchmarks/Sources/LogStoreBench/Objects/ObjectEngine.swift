/// A store of persons with typed members; every write survives the loss of power.
protocol ObjectEngine: AnyObject {
  /// The engine's name for itself and its version.
  var version: String { get }
  /// Adds persons in one transaction.
  func put(_ people: ArraySlice<Person>) throws
  /// Lends a reader of one state of the store.
  func read(_ body: (any ObjectReader) throws -> Void) throws
  func close() throws
}
