internal import LogStore
internal import SchemaRegistry

/// Upgrades records of old versions while a compaction copies them.
struct UpgradingTransformer: RecordTransformer {
  let upgrader: any RecordUpgrader

  func transforms(_ version: CollectionVersion) -> Bool { upgrader.upgrades(version) }

  func transform(_ record: LentRecord) throws(LogError) -> RecordTransformation {
    let payload: [UInt8]
    do throws(LogError) {
      payload = try record.payload()
    } catch .corruption(let damage) where damage.lostDictionary != nil {
      // It verifies, so it is carried over as it is, for when its dictionary is found again.
      return .kept(LogError.corruption(damage))
    }
    return switch upgrader.upgrade(StaleRecord(record, payload: payload)) {
    case .upgraded(let schemaVersion, let payload):
      .replaced(schemaVersion: schemaVersion, payload: payload)
    case .dropped: .dropped
    case .failed(let error): .kept(error)
    }
  }
}
