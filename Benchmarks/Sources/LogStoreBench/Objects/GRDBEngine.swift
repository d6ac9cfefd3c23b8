#if HAS_SQLITE
  import GRDB

  /// GRDB's fast way: statements that are made once, coding written by hand. Inserting with
  /// `setUncheckedArguments`, which copies the texts, or as a record was slower.
  final class GRDBEngine: ObjectEngine {
    private let pool: DatabasePool

    /// Every connection gets the settings that SQLite gets, and `settings` after them.
    static func openPool(path: String, settings: String = "") throws -> DatabasePool {
      var configuration = Configuration()
      let cacheKibibytes = EngineSettings.cacheByteCount >> 10
      let pageByteCount = 4096
      let logPageCount = EngineSettings.writeBufferByteCount / pageByteCount
      configuration.prepareDatabase { database in
        try database.execute(
          sql: """
            PRAGMA mmap_size=2147418112; PRAGMA cache_size=-\(cacheKibibytes);
            PRAGMA wal_autocheckpoint=\(logPageCount); \(settings)
            """)
      }
      let pool = try DatabasePool(path: path + "/store.sqlite", configuration: configuration)
      // The promise is that commits survive the loss of power. A pool sets NORMAL, which does not
      // synchronize them, after its connection was prepared: so this comes after that.
      try pool.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous=FULL")
        guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else {
          throw BenchmarkError("GRDB does not synchronize its commits")
        }
      }
      return pool
    }

    init(path: String) throws {
      pool = try Self.openPool(path: path)
      try pool.write { database in
        try database.create(table: "person", options: .ifNotExists) { table in
          table.primaryKey("id", .integer)
          for name in Person.memberNames { table.column(name, .text).notNull() }
          table.column("balance", .integer)
        }
      }
    }

    var version: String { "GRDB 7" }

    func put(_ people: ArraySlice<Person>) throws {
      try pool.write { database in
        let insert = try database.cachedStatement(sql: Person.insertion)
        for person in people { try insert.execute(arguments: person.arguments) }
      }
    }

    func read(_ body: (any ObjectReader) throws -> Void) throws {
      try pool.read { database in
        let all = try database.cachedStatement(sql: Person.selection + " ORDER BY id")
        let one = try database.cachedStatement(sql: Person.selection + " WHERE id = ?")
        try body(Reader(one: one, all: all))
      }
    }

    func close() throws { try pool.close() }

    private struct Reader: ObjectReader {
      let one: Statement
      let all: Statement

      func person(_ id: Int) throws -> Person? {
        one.setUncheckedArguments([id])
        return try Person.fetchOne(one)
      }

      func scan(_ body: (Person) -> Void) throws -> Int {
        let cursor = try Person.fetchCursor(all)
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
