#if HAS_SQLITE
  import CSQLite

  /// SQLite with a column for each member, through its C interface.
  final class SQLiteColumnEngine: ObjectEngine {
    private let connection: SQLiteConnection
    private let insert: SQLiteStatement
    private let select: SQLiteStatement
    private let all: SQLiteStatement
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement

    init(path: String) throws {
      connection = try SQLiteConnection(path: path + "/store.sqlite", promise: .powerLoss)
      let texts = Person.memberNames
      let columns = texts.map { "\($0) TEXT NOT NULL" }.joined(separator: ", ")
      try connection.execute(
        "CREATE TABLE IF NOT EXISTS person(id INTEGER PRIMARY KEY, \(columns), balance INTEGER)")
      let names = (["id"] + texts + ["balance"]).joined(separator: ", ")
      let places = (1...texts.count + 2).map { "?\($0)" }.joined(separator: ", ")
      let handle = connection.handle
      insert = try SQLiteStatement(
        handle, "INSERT OR REPLACE INTO person(\(names)) VALUES(\(places))")
      select = try SQLiteStatement(handle, "SELECT \(names) FROM person WHERE id = ?1")
      all = try SQLiteStatement(handle, "SELECT \(names) FROM person ORDER BY id")
      begin = try SQLiteStatement(handle, "BEGIN")
      commit = try SQLiteStatement(handle, "COMMIT")
    }

    var version: String { "SQLite \(String(cString: sqlite3_libversion())), columns" }

    func put(_ people: ArraySlice<Person>) throws {
      try begin.run()
      for person in people {
        insert.bind(1, Int64(person.id))
        insert.bind(16, Int64(person.balance))
        try insert.withTexts(
          from: 2, person.firstName, person.lastName, person.email, person.phone,
          person.birthDate, person.city, person.address
        ) {
          try insert.withTexts(
            from: 9, person.billingAddress, person.country, person.occupation, person.website,
            person.createdAt, person.updatedAt, person.note
          ) { try insert.run() }
        }
      }
      try commit.run()
    }

    func read(_ body: (any ObjectReader) throws -> Void) throws {
      try begin.run()
      defer { try? commit.run() }
      try body(Reader(select: select, all: all))
    }

    func close() { connection.close() }

    private struct Reader: ObjectReader {
      let select: SQLiteStatement
      let all: SQLiteStatement

      func person(_ id: Int) throws -> Person? {
        defer { select.reset() }
        select.bind(1, Int64(id))
        return try select.step() ? Self.person(select) : nil
      }

      func scan(_ body: (Person) -> Void) throws -> Int {
        defer { all.reset() }
        var count = 0
        while try all.step() {
          body(Self.person(all))
          count += 1
        }
        return count
      }

      /// Member by member, as code written for this type would.
      private static func person(_ row: SQLiteStatement) -> Person {
        Person(
          id: Int(row.integer(0)), firstName: row.text(1), lastName: row.text(2),
          email: row.text(3), phone: row.text(4), birthDate: row.text(5), city: row.text(6),
          address: row.text(7), billingAddress: row.text(8), country: row.text(9),
          occupation: row.text(10), website: row.text(11), createdAt: row.text(12),
          updatedAt: row.text(13), note: row.text(14), balance: Int(row.integer(15)))
      }
    }
  }
#endif
