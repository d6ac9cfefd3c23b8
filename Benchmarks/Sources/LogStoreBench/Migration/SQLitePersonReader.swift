#if HAS_SQLITE
  /// Reads persons in the new shape by their identifiers.
  final class SQLitePersonReader {
    private let select: SQLiteStatement

    init(_ connection: SQLiteConnection) throws {
      select = try SQLiteStatement(
        connection.handle,
        "SELECT \(MigratedPerson.columnNames.joined(separator: ", ")) FROM person WHERE id = ?1")
    }

    func person(_ id: Int) throws -> MigratedPerson? {
      defer { select.reset() }
      select.bind(1, Int64(id))
      return try select.step() ? Self.person(select) : nil
    }

    private static func person(_ row: SQLiteStatement) -> MigratedPerson {
      MigratedPerson(
        id: Int(row.integer(0)), fullName: row.text(1), email: row.text(2), phone: row.text(3),
        birthDate: row.text(4), city: row.text(5), address: row.text(6),
        billingAddress: row.text(7), country: row.text(8), occupation: row.text(9),
        website: row.text(10), createdAt: row.text(11), updatedAt: row.text(12),
        note: row.text(13), balance: Int(row.integer(14)))
    }
  }
#endif
