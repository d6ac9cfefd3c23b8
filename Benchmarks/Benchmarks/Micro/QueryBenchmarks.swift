import Benchmark
import ObjectStore

/// Objects selected by the value of a member.
enum QueryBenchmarks {
  private static let count = 10_000

  static func define() {
    Operation.measure("query predicate without an index, per object", count: count) {
      try SampleStore(count: count)
    } _: { (sample: SampleStore, _: Int) in
      let cursor = try sample.store.snapshot().objects(
        Account.self, where: "balance", selecting: .equal(to: 77))
      while let account = try cursor.next() { blackHole(account) }
    }
    Operation.measure("query by an index, per match", count: count / Resident.cityCount) {
      try SampleResidents(count: count)
    } _: { (sample: SampleResidents, _: Int) in
      let cursor = try sample.store.snapshot().objects(
        Resident.self, where: "city", selecting: .equal(to: .string(Resident.city(7))))
      while let resident = try cursor.next() { blackHole(resident) }
    }
  }
}

/// An object that is looked up by its city.
private struct Resident: StorableObject {
  static let primaryKey = "id"
  static let indexes = [IndexDeclaration("city")]
  static let cityCount = 100

  var id = 0
  var city = ""

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.member("city", &city)
  }

  static func city(_ number: Int) -> String { "City \(number % cityCount)" }
}

/// A store of residents, in a directory that goes away with it.
private final class SampleResidents: Sendable {
  let store: Store
  private let directory: TemporaryDirectory

  init(count: Int) throws {
    directory = try TemporaryDirectory()
    store = try Store.open(
      at: directory.path(of: "sample.logstore"), models: [Resident.self], evolution: .additive)
    try store.write { transaction in
      for number in 0..<count {
        try transaction.put(Resident(id: number, city: Resident.city(number)))
      }
    }
  }
}
