internal import ObjectStore
internal import SchemaRegistry

/// Objects of a type that the version a store is opened with has no more: they are kept until
/// compaction drops them, and nothing that lists objects shows them.
struct RemovedObjects: CustomStringConvertible {
  /// The name that the type had.
  let type: String
  let count: UInt64

  /// Those of an open store, by name.
  static func all(in store: Store) -> [RemovedObjects] {
    let present = Set(store.schema.types.map(\.identity))
    var counts: [String: UInt64] = [:]
    for totals in store.liveTypes {
      guard let identity = totals.identity, !present.contains(identity) else { continue }
      counts[totals.type, default: 0] += totals.totals.recordCount
    }
    return counts.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map {
      RemovedObjects(type: $0.key, count: $0.value)
    }
  }

  var description: String {
    "\(GroupedNumber(count)) \(count == 1 ? "object" : "objects") of \(type), which the newest "
      + "version of the schema has no more, "
      + (count == 1 ? "is" : "are") + " left until compaction"
  }
}
