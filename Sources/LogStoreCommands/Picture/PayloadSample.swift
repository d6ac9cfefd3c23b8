internal import LogStore
internal import ObjectStore

/// How large the objects of a type are as JSON and in their segments, by some of them.
struct PayloadSample {
  let type: String
  /// Bytes of canonical JSON for each object, on average; what a text file would take. Nothing
  /// where no object of the sample can be read.
  let textByteCount: Double?
  /// Bytes of a live record with key and header, on average of all.
  let storedByteCount: Double
  /// Objects of the sample whose upgrade fails.
  let failedCount: Int

  private static let countMaximum = 1000

  /// A sample of each type that has objects.
  static func all(of store: Store) throws -> [PayloadSample] {
    let statistics = try store.statistics()
    let snapshot = store.snapshot()
    return try store.sortedTypes.compactMap { type in
      // Records keep the name that the type had when they were written.
      var totals = RecordTotals()
      for stored in statistics.types where stored.identity == type.identity {
        totals = RecordTotals(
          recordCount: totals.recordCount + stored.totals.recordCount,
          byteCount: totals.byteCount + stored.totals.byteCount)
      }
      guard totals.recordCount > 0 else { return nil }
      return try sample(
        of: type.name, totals, try snapshot.objects(ofType: type.name))
    }
  }

  private static func sample(
    of type: String, _ totals: RecordTotals, _ objects: DynamicObjectCursor
  ) throws -> PayloadSample {
    var readCount = 0
    var failedCount = 0
    var textByteCount = 0
    sampling: while readCount + failedCount < countMaximum {
      switch Result(catching: { () throws(StoreError) in try objects.next() }) {
      case .success(let object?):
        var writer = JSONWriter()
        CanonicalJSON.append(object.members, to: &writer)
        textByteCount += writer.bytes.count
        readCount += 1
      case .success(nil): break sampling
      case .failure(.schema): failedCount += 1
      case .failure(let error): throw error
      }
    }
    return PayloadSample(
      type: type,
      textByteCount: readCount > 0 ? Double(textByteCount) / Double(readCount) : nil,
      storedByteCount: Double(totals.byteCount) / Double(totals.recordCount),
      failedCount: failedCount)
  }
}
