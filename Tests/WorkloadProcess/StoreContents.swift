import LogStore
import StorageTestSupport

/// All records of a store that writers of planned commits made.
struct StoreContents {
  private(set) var records: [[UInt8]: StoredRecord] = [:]

  /// An empty store.
  init() {}

  init(_ log: Log) throws {
    let cursor = try log.snapshot().records(in: PlannedCommit.collection)
    while let (key, record) = try cursor.next() { records[key] = record }
  }

  /// How many commits of each writer the store holds.
  func progress() throws -> [Int] {
    try (0..<PlannedCommit.writerCount).map { writer in
      let payload = records[PlannedCommit.progressKey(writer)]?.payload
      guard let number = PlannedCommit.number(payload) else {
        throw CaseFailure("the progress of writer \(writer) is no number")
      }
      return number
    }
  }

  /// The sequence of the last commit of `writer` that the store holds.
  func lastSequence(of writer: Int) -> UInt64? {
    records[PlannedCommit.progressKey(writer)]?.sequence.rawValue
  }

  /// Throws unless the store holds exactly the first commits of each writer, all of them whole.
  func check(seed: UInt64) throws {
    var expected: [[UInt8]: [UInt8]] = [:]
    var transactionCount = 0
    for (writer, count) in try progress().enumerated() {
      for number in 0..<count {
        let planned = PlannedCommit(seed: seed, writer: writer, number: number + 1)
        if planned.isTransaction { transactionCount += 1 }
        for change in planned.changes { expected[change.key] = change.payload }
      }
    }
    if transactionCount > 0 {
      let payload = [UInt8]("\(transactionCount)".utf8)
      for key in PlannedCommit.sharedCounterKeys { expected[key] = payload }
    }
    let keys = Set(expected.keys).union(records.keys)
    for key in keys where expected[key] != records[key]?.payload {
      throw CaseFailure(
        "\(String(decoding: key, as: UTF8.self)): expected \(Self.text(expected[key])),"
          + " found \(Self.text(records[key]?.payload))")
    }
  }

  private static func text(_ payload: [UInt8]?) -> String {
    guard let payload else { return "nothing" }
    if payload.count < 20, let text = String(validating: payload, as: UTF8.self) { return text }
    return "\(payload.count) bytes"
  }
}
