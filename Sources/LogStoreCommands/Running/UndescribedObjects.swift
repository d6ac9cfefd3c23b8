internal import ObjectStore

/// Objects of a collection that nothing describes: a salvage saved them, and not what describes
/// them. They stay as they are, and nothing that lists objects can show them.
struct UndescribedObjects: Equatable, Sendable, CustomStringConvertible {
  /// What the collection is called: nothing tells the name of its type any more.
  let type: String
  let count: UInt64

  /// Those of an open store, by name.
  static func all(in store: Store) -> [UndescribedObjects] { all(in: store.liveTypes) }

  /// Those that statistics tell of, by name.
  static func all(in statistics: StoreStatistics) -> [UndescribedObjects] {
    all(in: statistics.types)
  }

  private static func all(in types: [StoreStatistics.TypeTotals]) -> [UndescribedObjects] {
    var counts: [String: UInt64] = [:]
    for totals in types where totals.identity == nil {
      counts[totals.type, default: 0] += totals.totals.recordCount
    }
    return counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map {
      UndescribedObjects(type: $0.key, count: $0.value)
    }
  }

  var description: String {
    let records = count == 1 ? "record" : "records"
    return "\(type) holds \(GroupedNumber(count)) \(records) that nothing describes: what did is "
      + "lost, and they cannot be read. Restore the store from a backup"
  }

  /// The same for programs.
  var report: Report { ["type": .text(type), "records": .count(count)] }
}
