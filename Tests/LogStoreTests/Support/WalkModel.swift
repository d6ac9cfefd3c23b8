import BinaryCoding

@testable import LogStore

/// What a collection holds, as sorted keys: the simple thing that cursors are compared with.
struct WalkModel {
  var payloads: [[UInt8]: [UInt8]] = [:]

  /// One live record.
  struct Found: Equatable {
    let key: [UInt8]
    let payload: [UInt8]

    init(key: [UInt8], payload: [UInt8]) {
      self.key = key
      self.payload = payload
    }

    init(_ whole: Whole) { self.init(key: whole.key, payload: whole.record.payload) }
  }

  /// One with what the log keeps beside it.
  struct Whole: Equatable {
    let key: [UInt8]
    let record: StoredRecord
  }

  /// The records in `keys`, in `order`.
  func records(_ keys: KeyRange, _ order: KeyOrder) -> [Found] {
    let sorted = payloads.keys.filter(keys.contains).sorted { $0.lexicographicallyPrecedes($1) }
    let found = sorted.map { Found(key: $0, payload: payloads[$0] ?? []) }
    return order == .ascending ? found : found.reversed()
  }

  /// Those of ``records(_:_:)`` from `key` on, in `order`.
  func records(_ keys: KeyRange, _ order: KeyOrder, seeking key: [UInt8]) -> [Found] {
    records(keys, order).filter {
      order == .ascending
        ? !$0.key.lexicographicallyPrecedes(key) : !key.lexicographicallyPrecedes($0.key)
    }
  }

  /// What is left of a cursor; every other record is read as a copy, the rest as lent.
  static func rest(of cursor: RecordCursor) throws(LogError) -> [Found] {
    try wholeRest(of: cursor).map(Found.init)
  }

  /// The same with all that the log knows of each record.
  static func wholeRest(of cursor: RecordCursor) throws(LogError) -> [Whole] {
    var found: [Whole] = []
    while true {
      if found.count.isMultiple(of: 2) {
        guard let (key, record) = try cursor.next() else { return found }
        found.append(Whole(key: key, record: record))
      } else {
        let lent = try cursor.withNext { record in
          Whole(key: [UInt8](record.key), record: StoredRecord(copying: record))
        }
        guard let lent else { return found }
        found.append(lent)
      }
    }
  }

  /// Every range between two of `keys`, open or not at either end.
  static func ranges(between keys: [[UInt8]]) -> [KeyRange] {
    let bounds: [KeyRange.Bound] =
      [.unbounded] + keys.flatMap { [.including($0), .excluding($0)] }
    return bounds.flatMap { lower in bounds.map { upper in KeyRange(from: lower, to: upper) } }
  }
}
