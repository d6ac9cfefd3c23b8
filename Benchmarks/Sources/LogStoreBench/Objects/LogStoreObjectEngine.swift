import ObjectStore

/// LogStore's typed objects.
final class LogStoreObjectEngine: ObjectEngine {
  private let store: Store

  init(path: String) throws {
    store = try Store.open(at: path, models: [Person.self], history: Person.history)
  }

  var version: String { "LogStore of this repository" }

  func put(_ people: ArraySlice<Person>) throws {
    try store.write { try $0.put(contentsOf: people) }
  }

  func read(_ body: (any ObjectReader) throws -> Void) throws {
    try store.read { try body(Reader(snapshot: $0)) }
  }

  func close() throws { try store.close() }

  private struct Reader: ObjectReader {
    let snapshot: StoreSnapshot

    func person(_ id: Int) throws -> Person? { try snapshot.get(Person.self, id) }

    func scan(_ body: (Person) -> Void) throws -> Int {
      let cursor = try snapshot.objects(Person.self)
      var count = 0
      while let person = try cursor.next() {
        body(person)
        count += 1
      }
      return count
    }
  }
}
