/// Reads persons of one state of a store.
protocol ObjectReader {
  /// The person with that identifier.
  func person(_ id: Int) throws -> Person?
  /// All persons in the order of their identifiers; returns how many there were.
  func scan(_ body: (Person) -> Void) throws -> Int
}
