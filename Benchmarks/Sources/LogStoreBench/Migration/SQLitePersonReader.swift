#if HAS_SQLITE
  /// Reads persons in the new shape by their identifiers.
  final class SQLitePersonReader {
    private let select: SQLiteStatement

    init(_ connection: SQLiteConnection) throws {
      let names = ["fullName"] + Person.memberNames.dropFirst(2) + ["balance"]
      select = try SQLiteStatement(
        connection.handle,
        "SELECT \(names.joined(separator: ", ")) FROM person WHERE id = ?1")
    }

    func person(_ id: Int) throws -> MigratedPerson? {
      defer { select.reset() }
      select.bind(1, Int64(id))
      guard try select.step() else { return nil }
      var person = MigratedPerson()
      person.id = id
      person.fullName = select.text(0)
      for (index, text) in MigratedPerson.texts.enumerated() {
        person[keyPath: text] = select.text(Int32(index + 1))
      }
      person.balance = Int(select.integer(Int32(MigratedPerson.texts.count + 1)))
      return person
    }
  }
#endif
