internal import ObjectStore

/// How large the objects of a type are as JSON and in their segments, by some of them.
struct PayloadSample {
  let type: String
  /// Bytes of canonical JSON for each object, on average; what a text file would take.
  let textByteCount: Double
  /// Bytes of a live record with key and header, on average of all.
  let storedByteCount: Double

  private static let countMaximum = 1000

  /// A sample of each type that has objects.
  static func all(of store: Store) throws -> [PayloadSample] {
    let statistics = try store.statistics()
    let snapshot = store.snapshot()
    return try store.sortedTypes.compactMap { type in
      let stored = statistics.types.filter { $0.type == type.name }
      let count = stored.reduce(0) { $0 + $1.totals.recordCount }
      let byteCount = stored.reduce(0) { $0 + $1.totals.byteCount }
      guard count > 0 else { return nil }
      let objects = try snapshot.objects(ofType: type.name)
      var read = 0
      var textByteCount = 0
      while read < countMaximum, let object = try? objects.next() {
        var writer = JSONWriter()
        CanonicalJSON.append(object.members, to: &writer)
        textByteCount += writer.bytes.count
        read += 1
      }
      guard read > 0 else { return nil }
      return PayloadSample(
        type: type.name, textByteCount: Double(textByteCount) / Double(read),
        storedByteCount: Double(byteCount) / Double(count))
    }
  }
}
