import ArgumentParser
import ObjectStore

/// Opens a store of old objects with the whole history and reads one, as the first thing that a
/// process does: for counting instructions, see `Scripts/upgrade-cost.sh`.
struct FirstReadCommand: ParsableCommand {
  enum Work: String, ExpressibleByArgument {
    /// Makes the store.
    case make
    /// Nothing: what a process costs anyway.
    case nothing
    case read
  }

  static let configuration = CommandConfiguration(
    commandName: "first", abstract: "Reads an old object as the first thing of a process.")

  @Argument(help: "make, nothing or read.")
  var work: Work

  @Argument(help: "The directory of the store.")
  var path: String

  private static let objectCount: Int64 = 20_000

  mutating func run() throws {
    switch work {
    case .make: try make()
    case .nothing: print("nothing")
    case .read:
      let store = try Store.open(
        at: path, models: [LongHistory.Person.self], history: LongHistory.whole)
      let key = Int(Self.objectCount / 2)
      let person = try store.snapshot().get(LongHistory.Person.self, key)
      guard person == LongHistory.Person.expected(key) else {
        throw ValidationError("the object is not as it must be")
      }
      print("read")
    }
  }

  private func make() throws {
    let store = try Store.open(at: path, history: LongHistory.base)
    try store.write { transaction in
      for key in 0..<Self.objectCount {
        var object = try transaction.makeObject(ofType: "Person", LongHistory.oldValues)
        object["id"] = .int(key)
        try transaction.put(object)
      }
    }
    try store.close()
  }
}
