import ArgumentParser
import FileIO
import ObjectStore

/// Reads one object many times, current or through a fused chain of fifty operations: for counting
/// instructions, see `Scripts/upgrade-cost.sh`.
struct ReadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Reads a current or an old object many times.")

  @Argument(help: "current or old.")
  var kind: String

  @Argument(help: "How many reads.")
  var count: Int

  mutating func validate() throws {
    guard ["current", "old"].contains(kind) else {
      throw ValidationError("KIND is current or old")
    }
  }

  mutating func run() throws {
    let fileSystem = InMemoryFileSystem()
    let isOld = kind == "old"
    var store = try Store.open(
      at: "/s", history: isOld ? LongHistory.base : LongHistory.whole, fileSystem: fileSystem)
    let values = isOld ? LongHistory.oldValues : LongHistory.currentValues
    try store.write { transaction in
      for key in 0..<100 as Range<Int64> {
        var object = try transaction.makeObject(ofType: "Person", values)
        object["id"] = .int(key)
        try transaction.put(object)
      }
    }
    try store.close()
    store = try Store.open(
      at: "/s", models: [LongHistory.Person.self], history: LongHistory.whole,
      fileSystem: fileSystem)
    let snapshot = store.snapshot()
    guard try snapshot.get(LongHistory.Person.self, 1) == LongHistory.Person.expected(1) else {
      throw ValidationError("the object is not as it must be")
    }
    var total = 0
    for number in 0..<count {
      total += try snapshot.get(LongHistory.Person.self, number % 100)?.city.utf8.count ?? 0
    }
    print("\(count) reads of \(kind) objects, \(total) bytes of cities")
    try store.close()
  }
}
