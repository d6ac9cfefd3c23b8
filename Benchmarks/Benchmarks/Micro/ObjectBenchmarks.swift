import Benchmark
import ObjectStore

/// Typed objects and upgrades, in a store on disk.
enum ObjectBenchmarks {
  private static let count = 10_000

  static func define() {
    Operation.measure("typed get", count: count) {
      try SampleStore(count: count)
    } _: { (sample: SampleStore, count: Int) in
      let snapshot = sample.store.snapshot()
      for number in 0..<count { blackHole(try snapshot.get(Account.self, number)) }
    }
    Operation.measure("typed walk, per object", count: count) {
      try SampleStore(count: count)
    } _: { (sample: SampleStore, _: Int) in
      let cursor = try sample.store.snapshot().objects(Account.self)
      while let account = try cursor.next() { blackHole(account) }
    }
    Operation.measure("typed put in batches of 1000", count: 1000) {
      try SampleStore(count: 0)
    } _: { (sample: SampleStore, count: Int) in
      try sample.store.write(durability: .process) { transaction in
        for number in 0..<count { try transaction.put(Account.sample(number)) }
      }
    }
    Operation.measure("get of an object four versions old", count: count) {
      try SampleStore(upgrading: count)
    } _: { (sample: SampleStore, count: Int) in
      let snapshot = sample.store.snapshot()
      for number in 0..<count { blackHole(try snapshot.get(Account.self, number)) }
    }
  }
}
