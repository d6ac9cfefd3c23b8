import ObjectStore

/// A store of accounts, in a directory that goes away with it.
final class SampleStore: Sendable {
  let store: Store
  private let directory: TemporaryDirectory

  /// Accounts of the latest version.
  init(count: Int) throws {
    directory = try TemporaryDirectory()
    store = try Store.open(
      at: directory.path(of: "sample.logstore"), models: [Account.self], history: Account.history)
    try store.write { transaction in
      for number in 0..<count { try transaction.put(Account.sample(number)) }
    }
  }

  /// Accounts of the first version, opened under the latest.
  init(upgrading count: Int) throws {
    directory = try TemporaryDirectory()
    let path = directory.path(of: "sample.logstore")
    let old = try Store.open(at: path, history: SchemaHistory { Account.base })
    try old.write { transaction in
      for number in 0..<count {
        try transaction.put(
          [
            .int(Int64(number)), .string("Ada"), .string("Lovelace"), .string("London"),
            .int(Int64(number)),
          ], ofType: "Account")
      }
    }
    try old.close()
    store = try Store.open(at: path, models: [Account.self], history: Account.history)
  }
}
