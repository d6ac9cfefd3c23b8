internal import LogStore
internal import SchemaRegistry

/// Upgrades records of old versions while a compaction copies them.
struct UpgradingTransformer: RecordTransformer {
  let upgrader: any RecordUpgrader

  func forAnotherThread() -> any RecordTransformer {
    UpgradingTransformer(upgrader: upgrader.forAnotherThread())
  }

  func transforms(_ version: CollectionVersion) -> Bool { upgrader.upgrades(version) }

  func transform(
    _ record: LentRecord, _ memory: inout TransformMemory
  ) throws(LogError) -> RecordTransformation {
    let payload: UnsafeRawBufferPointer
    do throws(LogError) {
      payload = try record.payload(decompressedInto: &memory.old)
    } catch .corruption(let damage) where damage.lostDictionary != nil {
      // It verifies, so it is carried over as it is, for when its dictionary is found again.
      return .kept(LogError.corruption(damage))
    }
    let stale = StaleRecord(
      collection: record.collection, key: record.key, schemaVersion: record.schemaVersion,
      commitTime: record.commitTime, payload: payload)
    return switch upgrader.upgrade(stale, to: &memory.new, noting: &memory.copies) {
    case .upgraded(let schemaVersion): .replaced(schemaVersion: schemaVersion)
    case .dropped: .dropped
    case .failed(let error): .kept(error)
    }
  }
}
