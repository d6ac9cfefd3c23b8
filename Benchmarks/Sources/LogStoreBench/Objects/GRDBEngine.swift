#if HAS_SQLITE
  import GRDB

  /// GRDB's records, with coding written by hand, which is its fast way.
  final class GRDBEngine: ObjectEngine {
    private let pool: DatabasePool

    /// Every connection gets the settings that SQLite gets.
    static func openPool(path: String) throws -> DatabasePool {
      var configuration = Configuration()
      // A pool uses WAL and NORMAL; the promise here is that commits survive the loss of power.
      configuration.prepareDatabase { database in
        try database.execute(
          sql: """
            PRAGMA synchronous=FULL; PRAGMA mmap_size=2147418112; PRAGMA cache_size=-16384
            """)
      }
      return try DatabasePool(path: path + "/store.sqlite", configuration: configuration)
    }

    init(path: String) throws {
      pool = try Self.openPool(path: path)
      try pool.write { database in
        try database.create(table: Person.databaseTableName, options: .ifNotExists) { table in
          table.primaryKey("id", .integer)
          for name in Person.memberNames { table.column(name, .text).notNull() }
          table.column("balance", .integer)
        }
      }
    }

    var version: String { "GRDB 7" }

    func put(_ people: ArraySlice<Person>) throws {
      try pool.write { database in
        for person in people { try person.insert(database) }
      }
    }

    func read(_ body: (any ObjectReader) throws -> Void) throws {
      try pool.read { try body(Reader(database: $0)) }
    }

    func close() throws { try pool.close() }

    private struct Reader: ObjectReader {
      let database: Database

      func person(_ id: Int) throws -> Person? { try Person.fetchOne(database, key: id) }

      func scan(_ body: (Person) -> Void) throws -> Int {
        let cursor = try Person.order(Column("id")).fetchCursor(database)
        var count = 0
        while let person = try cursor.next() {
          body(person)
          count += 1
        }
        return count
      }
    }
  }
#endif
