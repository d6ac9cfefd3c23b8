internal import LogStore
internal import SchemaRegistry

/// The objects that a barrier needs in their new shape, and that a step before it cannot upgrade.
///
/// No policy for failures helps: what it gives in place of an upgrade is for readers, and a barrier
/// would store it for good (R19). An object that is passed over would be left behind the barrier,
/// where nobody could read it any more.
final class UpgradeFaults {
  private let operationID: String
  private var faults = CountedExamples()

  init(operationID: String) { self.operationID = operationID }

  /// A record in the shape that `reader` reads; nothing when a step drops it, or fails, which is
  /// noted.
  func read(
    _ record: StoredRecord, key: [UInt8], in collection: CollectionIdentifier, of type: TypeShape,
    by reader: UpgradingReader
  ) throws(StoreError) -> UpgradingReader.Upgraded? {
    do throws(StoreError) {
      return try reader.read(record, key: key, in: collection, of: type)
    } catch {
      guard
        case .schema(
          .migrationFailed(let type, let keyText, let version, let step, let underlying)) = error
      else { throw error }
      faults.note("\(type) \(keyText) of version \(version): step \(step) failed: \(underlying)")
      return nil
    }
  }

  func throwIfAny() throws(StoreError) {
    guard faults.count > 0 else { return }
    throw .schema(
      .barrierNeedsUpgrades(
        operationID: operationID, count: faults.count, examples: faults.examples))
  }
}
