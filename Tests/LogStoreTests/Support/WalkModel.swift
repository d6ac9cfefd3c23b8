import BinaryCoding

@testable import LogStore

/// What a collection holds, as sorted keys: the simple thing that cursors are compared with.
struct WalkModel {
  var payloads: [[UInt8]: [UInt8]] = [:]

  /// One live record.
  struct Found: Equatable {
    let key: [UInt8]
    let payload: [UInt8]
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
    var found: [Found] = []
    while true {
      if found.count.isMultiple(of: 2) {
        guard let (key, record) = try cursor.next() else { return found }
        found.append(Found(key: key, payload: record.payload))
      } else {
        let lent = try cursor.withNext { record in
          Found(key: [UInt8](record.key), payload: [UInt8](record.payload))
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
