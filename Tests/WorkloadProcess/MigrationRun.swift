import FileIO
import Foundation
import ObjectStore
import StorageTestSupport

/// A store whose objects are all five versions old: what it costs to open it, and to bring them up.
struct MigrationRun {
  private static let base = Base(0) {
    Type("Person", key: "id") {
      Field("id", .int64)
      Field("first", .string)
      Field("last", .string)
      Field("age", .int32)
      Field("note", .optional(.string))
    }
  }
  private static let history = SchemaHistory {
    base
    Version(1) {
      On("Person") {
        Derive("name", from: "first", "last") { (first: String, last: String) in
          "\(first) \(last)"
        }
        Remove("first")
        Remove("last")
      }
    }
    Version(2) { On("Person") { Widen("age", to: .int64) } }
    Version(3) { On("Person") { Add("email", .string, default: "none") } }
    Version(4) { On("Person") { Rename("age", to: "years") } }
    Version(5) { On("Person") { Require("note", fill: "") } }
  }

  let path: String
  /// Whether files are read instead of mapped, so that all memory is the process's own.
  var isBuffered = false

  private func open(_ history: SchemaHistory) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.compaction = .off
    if isBuffered { configuration.log.readMode = .buffered }
    return try Store.open(at: path, history: history, configuration: configuration)
  }

  private func check(_ store: Store, _ id: Int) throws {
    let found = try store.snapshot().object(ofType: "Person", key: .int(Int64(id)))
    let isOld = store.schemaVersion == 0
    guard let members = found?.members,
      members[isOld ? "first" : "name"] == .string(isOld ? "First \(id)" : "First \(id) Last"),
      members[isOld ? "age" : "years"] == .int(Int64(id % 90)), isOld || members["note"] == ""
    else { throw CaseFailure("object \(id) is \(String(describing: found?.members))") }
  }

  /// Writes `count` objects under version 0.
  func write(count: Int) throws {
    let store = try open(SchemaHistory { Self.base })
    for start in stride(from: 0, to: count, by: 5000) {
      try store.write(durability: .process) { transaction in
        for id in start..<min(start + 5000, count) {
          try transaction.put(
            [
              .int(Int64(id)), .string("First \(id)"), "Last", .int(Int64(id % 90)), .null,
            ], ofType: "Person")
        }
      }
    }
    try store.close()
  }

  /// Opens the store at both versions in turn, and prints the median times of opening and of the
  /// first read in microseconds: `open-0 open-5 read-0 read-5`.
  func open(rounds: Int) throws {
    var times: [[Double]] = [[], [], [], []]
    let clock = ContinuousClock()
    for round in 0..<rounds {
      for (number, history) in [SchemaHistory { Self.base }, Self.history].enumerated() {
        let start = clock.now
        let store = try open(history)
        let opened = clock.now
        try check(store, round)
        times[number].append(Self.microseconds(opened - start))
        times[2 + number].append(Self.microseconds(clock.now - opened))
        try store.close()
      }
    }
    print(times.map { String(format: "%.0f", $0.sorted()[rounds / 2]) }.joined(separator: " "))
  }

  private static func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }

  /// Brings all objects to version 5, and prints how many.
  func migrate() throws {
    let store = try open(Self.history)
    let report = try store.migrate()
    try check(store, 17)
    guard try store.statistics().oldestVersion == 5 else {
      throw CaseFailure("objects of older versions are left")
    }
    print(report.upgradedCount)
    try store.close()
  }
}
