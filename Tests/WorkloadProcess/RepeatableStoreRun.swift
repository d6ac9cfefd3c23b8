import FileIO
import ObjectStore
import StorageTestSupport

/// Objects of several types, written under one schema version, then under a later one, compacted.
///
/// Members hold dictionaries, and types and members are many: where an unordered collection reached
/// a file, two processes would write two orders.
struct RepeatableStoreRun {
  private static let typeNames = (0..<7).map { "Type\($0)" }
  private let seed: UInt64

  init(seed: UInt64) { self.seed = seed }

  func run(at path: String, _ fileSystem: any FileSystem) throws {
    var generator = SeededGenerator(seed: seed ^ 0x0B1E)
    let time = ManualTimeSource()
    let random = SeededRandomSource(seed: seed)
    var configuration = StoreConfiguration()
    configuration.log = RepeatableRun.configuration(seed: seed, time, random)
    for history in [Self.first, Self.second] {
      let store = try Store.open(
        at: path, history: history, configuration: configuration, fileSystem: fileSystem)
      for _ in 0..<12 {
        time.set(secondsSince1970: time.secondsSince1970() + 60)
        try write(store, &generator)
      }
      try store.compact()
      try store.close()
    }
  }

  private func write(_ store: Store, _ generator: inout SeededGenerator) throws {
    let types = (0..<4).map { _ in Self.typeNames[Int.random(in: 0..<7, using: &generator)] }
    let keys = (0..<4).map { _ in Int64.random(in: 0..<25, using: &generator) }
    let labels = (0..<4).map { _ in
      (0..<6).map { _ in "label \(Int.random(in: 0..<100, using: &generator))" }
    }
    try store.write { transaction in
      for (type, (key, labels)) in zip(types, zip(keys, labels)) {
        if key % 6 == 0 {
          try transaction.delete(ofType: type, key: .int(key))
          continue
        }
        let values = Dictionary(
          labels.enumerated().map { ($1, Value.int(Int64($0))) }, uniquingKeysWith: { $1 })
        let object = try transaction.makeObject(
          ofType: type, ["id": .int(key), "labels": .dictionary(values)])
        try transaction.put(object)
      }
    }
  }

  private static let base = Base(0) {
    for name in typeNames {
      Type(name, key: "id") {
        Field("id", .int64)
        Field("labels", .dictionary(.int64))
        Field("note", .optional(.string))
      }
    }
  }

  private static let first = SchemaHistory { base }
  private static let second = SchemaHistory {
    base
    Version(1) {
      On("Type1") { Add("rank", .optional(.int64), default: .int(3)) }
      On("Type2") { Rename("note", to: "remark") }
      On("Type3") { Remove("note") }
      RenameType("Type4", to: "Renamed4")
      RenameType("Renamed4", to: "Type4")
    }
    Version(2) {
      On("Type5") {
        Add(
          "extra", .optional(.dictionary(.string)),
          default: .dictionary(["a": .string("1"), "b": .string("2"), "c": .string("3")]))
      }
    }
  }
}
