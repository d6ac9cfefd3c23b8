#if HAS_SQLITE
  import GRDB

  extension Person: FetchableRecord, PersistableRecord {
    static let databaseTableName = "person"

    init(row: Row) {
      self.init(
        id: row[0], firstName: row[1], lastName: row[2], email: row[3], phone: row[4],
        birthDate: row[5], city: row[6], address: row[7], billingAddress: row[8],
        country: row[9], occupation: row[10], website: row[11], createdAt: row[12],
        updatedAt: row[13], note: row[14], balance: row[15])
    }

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      for (name, text) in zip(Person.memberNames, Person.texts) {
        container[name] = self[keyPath: text]
      }
      container["balance"] = balance
    }
  }
#endif
