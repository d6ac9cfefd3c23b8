internal import LogStore
internal import SchemaRegistry

extension Store {
  /// Tries the upgrade of every object of an older version, or of one in `sample`, and keeps
  /// nothing: a dry run that lists what would fail.
  ///
  /// Every closure runs twice, so that one which is not pure is found. Memory is a constant; the
  /// cost is that of reading the objects. Damaged records are thrown, not listed. Not in the
  /// body of a write.
  /// - Precondition: `sample` is above 0.
  public func validate(sample: Int = 1) throws(StoreError) -> ValidationReport {
    precondition(sample > 0, "one object in so many is tried: at least one in one")
    var report = ValidationReport()
    let shown = self.snapshot()
    let (snapshot, reader) = (shown.snapshot, shown.reader)
    let schemaVersion = reader.schema.version
    let stale = Set(log.liveByVersion.keys.filter(reader.isStale).map(\.collection))
    for type in reader.schema.shape.types {
      guard let collection = reader.collection(of: type), stale.contains(collection) else {
        continue
      }
      let reader = UpgradingReader(
        schema: reader.schema.checkingPurity(), catalog: reader.catalog)
      let records = try StoreError.log { () throws(LogError) in
        try snapshot.records(in: collection)
      }
      var count = 0
      while let (key, record) = try StoreError.log({ () throws(LogError) in try records.next() }) {
        guard record.schemaVersion < schemaVersion.rawValue else { continue }
        count += 1
        guard count % sample == 0 else { continue }
        report.checkedCount += 1
        do throws(StoreError) {
          let found = try reader.upgrade(record, key: key, in: collection, of: type)
          if found == nil { report.droppedCount += 1 } else { report.upgradedCount += 1 }
        } catch {
          guard case .schema = error else { throw error }
          report.note(
            ValidationReport.Failure(
              type: type.name, keyText: Self.text(of: key, type),
              version: SchemaVersion(record.schemaVersion), error: error))
        }
      }
    }
    return report
  }

  private static func text(of key: [UInt8], _ type: TypeShape) -> String {
    do throws(SchemaError) {
      return KeyCoding.text(of: try KeyCoding.decode(key, as: type.keyType))
    } catch { return "of \(key.count) bytes" }
  }
}
