internal import LogStore
internal import SchemaRegistry

extension Store {
  /// Tries the upgrade of every object of an older version, reads every object into its model, or
  /// one in `sample`, and keeps nothing: a dry run that lists what would fail.
  ///
  /// Every closure runs twice, so that one which is not pure is found. Policies for failures do not
  /// count. Memory is a constant; the cost is that of reading the objects, of which those that are
  /// current and have no model are left out. Damaged records are thrown, not listed. Not in the
  /// body of a write.
  /// - Precondition: `sample` is above 0.
  public func validate(sample: Int = 1) throws(StoreError) -> ValidationReport {
    guard sample > 0 else { fatalError("one object in so many is tried: at least one in one") }
    var report = ValidationReport()
    let shown = reading.snapshot(of: log, lasting: true)
    let stale = Set(log.liveByVersion.keys.filter(shown.reader.isStale).map(\.collection))
    for type in shown.reader.schema.shape.types {
      guard let collection = shown.reader.collection(of: type) else { continue }
      let models = shown.bindings.all(of: type)
      guard !models.isEmpty || stale.contains(collection) else { continue }
      let trial = ObjectTrial(
        reader: UpgradingReader(
          schema: shown.reader.schema.checkingPurity(), catalog: shown.reader.catalog),
        collection: collection, type: type, models: models)
      let records = try StoreError.log { () throws(LogError) in
        try shown.snapshot.records(in: collection)
      }
      var count = 0
      while let (key, record) = try StoreError.log({ () throws(LogError) in try records.next() }) {
        guard trial.concerns(record) else { continue }
        count += 1
        if count % sample == 0 { try trial.run(record, key, &report) }
      }
    }
    return report
  }
}

/// Tries whether objects of a type can be upgraded, and read into the models that stand for it.
private struct ObjectTrial {
  let reader: UpgradingReader
  let collection: CollectionIdentifier
  let type: TypeShape
  let models: [ModelBinding]

  private func isOlder(_ record: StoredRecord) -> Bool {
    record.schemaVersion < reader.schema.version.rawValue
  }

  func concerns(_ record: StoredRecord) -> Bool {
    isOlder(record)
      || (record.schemaVersion == reader.schema.version.rawValue && !models.isEmpty)
  }

  func run(
    _ record: StoredRecord, _ key: [UInt8], _ report: inout ValidationReport
  ) throws(StoreError) {
    if isOlder(record) { report.checkedCount += 1 }
    do throws(StoreError) {
      guard let found = try reader.upgrade(record, key: key, in: collection, of: type) else {
        report.droppedCount += 1
        return
      }
      for model in models { try model.check(key: found.key, payload: found.payload) }
      if !models.isEmpty { report.readCount += 1 }
      if isOlder(record) { report.upgradedCount += 1 }
    } catch {
      guard case .schema = error else { throw error }
      report.note(
        ValidationReport.Failure(
          type: type.name, keyText: text(of: key), version: SchemaVersion(record.schemaVersion),
          error: error))
    }
  }

  private func text(of key: [UInt8]) -> String {
    do throws(SchemaError) {
      return KeyCoding.text(of: try KeyCoding.decode(key, as: type.keyType))
    } catch { return "of \(key.count) bytes" }
  }
}
