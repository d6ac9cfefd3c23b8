internal import BinaryCoding
internal import Compaction
internal import LogStore
internal import SchemaRegistry

/// Records are brought to the current version while a compaction copies them.
extension UpgradingReader: RecordUpgrader {
  func forAnotherThread() -> any RecordUpgrader { copy() }

  func isStale(_ version: CollectionVersion) -> Bool {
    guard !version.collection.isReserved else { return false }
    guard schema.upgrades, version.schemaVersion < schema.version.rawValue else {
      return isOfUnneededIndex(version.collection)
    }
    do throws(StoreError) {
      switch try plan(for: version.collection, SchemaVersion(rawValue: version.schemaVersion)) {
      // A version that did not change the type: its records are current but for their number,
      // and are renumbered, so that the old version can be forgotten.
      case .current, .upgrade: return true
      case .stored: return isRemoved(version.collection)
      case .projected: return false
      }
    } catch {
      // Where code is not at hand the records stay as they are.
      return isRemoved(version.collection) || isOfUnneededIndex(version.collection)
    }
  }

  /// Whether a collection is that of an index which is retired, or will be when the version is
  /// described, which comes before its records are rewritten.
  private func isOfUnneededIndex(_ collection: CollectionIdentifier) -> Bool {
    let catalog = catalog
    guard catalog.indexes.contains(where: { $0.collection == collection }) else { return false }
    return schema.indexes.adopted(by: catalog).contains {
      $0.collection == collection && $0.phase == .retired
    }
  }

  /// Whether a collection is that of a retired index: nobody asks it, or will ever do so.
  private func isOfRetiredIndex(_ collection: CollectionIdentifier) -> Bool {
    catalog.indexes.contains { $0.collection == collection && $0.phase == .retired }
  }

  /// Whether a version of the history removed the type of a collection, and its objects with it.
  ///
  /// Types that only the models lack are kept, as are those of stores that grow by additions.
  private func isRemoved(_ collection: CollectionIdentifier) -> Bool {
    guard let history = schema.history, !schema.isAdditive, schema.newer == nil,
      let identity = catalog.identity(of: collection)
    else { return false }
    return !history.isForeign(identity) && schema.shape.type(identity) == nil
  }

  func upgrade(_ record: StaleRecord, to payload: inout ByteWriter) -> UpgradeOutcome {
    var copies = CopiedRanges(isWanted: false)
    return upgrade(record, to: &payload, noting: &copies)
  }

  func upgrade(
    _ record: StaleRecord, to payload: inout ByteWriter, noting copies: inout CopiedRanges
  ) -> UpgradeOutcome {
    do throws(StoreError) {
      let version = SchemaVersion(rawValue: record.schemaVersion)
      if let plan = lentUpgrade(for: record.collection, version) {
        let result = plan._withUnsafeGuaranteedRef { plan in
          Result { () throws(StoreError) in
            try upgrade(record, by: plan, to: &payload, noting: &copies)
          }
        }
        return try result.get()
      }
      switch try plan(for: record.collection, version) {
      case .stored where isRemoved(record.collection): return .dropped
      case .current, .stored:
        payload.writeBytes(record.payload)
        copies.note(0, from: 0, count: record.payload.count)
        return .upgraded(schemaVersion: schema.version.rawValue)
      case .upgrade(let plan):
        return try upgrade(record, by: plan, to: &payload, noting: &copies)
      case .projected:
        preconditionFailure("records of newer versions are not stale, so nobody upgrades them")
      }
    } catch .schema(let error) {
      if case .unknownType = error, isRemoved(record.collection) { return .dropped }
      return .failed(error)
    } catch {
      if isOfRetiredIndex(record.collection) { return .dropped }
      return .failed(.malformedShape(reason: "\(error)"))
    }
  }

  private func upgrade(
    _ record: StaleRecord, by plan: UpgradePlan, to payload: inout ByteWriter,
    noting copies: inout CopiedRanges
  ) throws(StoreError) -> UpgradeOutcome {
    let outcome = try StoreError.schema { () throws(SchemaError) in
      try timed(plan, plan.target.name) { (timing) throws(SchemaError) in
        try plan.upgrade(
          record.payload, key: record.key, committedAt: record.commitTime.secondsSince1970,
          timing: timing, noting: &copies, to: &payload)
      }
    }
    return outcome == .drop ? .dropped : .upgraded(schemaVersion: schema.version.rawValue)
  }
}
