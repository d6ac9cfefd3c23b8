#if HAS_SQLITE
  import GRDB

  extension Person: FetchableRecord {
    /// The columns in the order of their places in statements and rows.
    private static let columnNames = (["id"] + memberNames + ["balance"]).joined(separator: ", ")

    static let selection = "SELECT \(columnNames) FROM person"

    static let insertion = """
      INSERT INTO person(\(columnNames))
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """

    init(row: Row) {
      self.init(
        id: row[0], firstName: row[1], lastName: row[2], email: row[3], phone: row[4],
        birthDate: row[5], city: row[6], address: row[7], billingAddress: row[8],
        country: row[9], occupation: row[10], website: row[11], createdAt: row[12],
        updatedAt: row[13], note: row[14], balance: row[15])
    }

    /// What ``insertion`` takes.
    var arguments: StatementArguments {
      [
        id, firstName, lastName, email, phone, birthDate, city, address, billingAddress, country,
        occupation, website, createdAt, updatedAt, note, balance,
      ]
    }
  }
#endif
