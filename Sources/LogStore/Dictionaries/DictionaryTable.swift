internal import BinaryCoding

/// What look-ups ask a ``DictionaryShelf`` for: never changed, but replaced as a whole.
final class DictionaryTable: Sendable {
  let dictionaries: [CompressionDictionary]
  /// Of each version the newest that payloads may be compressed against.
  let newest: SmallTable<CollectionVersion, CompressionDictionary>
  nonisolated(unsafe) private let slots: UnsafeMutableBufferPointer<Slot>

  private struct Slot {
    let identifier: UInt32
    let dictionary: LentDictionary
  }

  /// `dictionaries` ascend by identifier.
  init(_ dictionaries: [CompressionDictionary], usable: (CompressionDictionary) -> Bool) {
    self.dictionaries = dictionaries
    var newest = SmallTable<CollectionVersion, CompressionDictionary>()
    for dictionary in dictionaries where usable(dictionary) {
      newest[dictionary.version] = dictionary
    }
    self.newest = newest
    slots = .allocate(capacity: dictionaries.count)
    _ = slots.initialize(
      from: dictionaries.map { Slot(identifier: $0.identifier.rawValue, dictionary: $0.lent) })
  }

  deinit { slots.deallocate() }

  func lent(_ identifier: UInt32) -> LentDictionary? {
    // The newest ones have nearly all records.
    for slot in slots.reversed() where slot.identifier == identifier { return slot.dictionary }
    return nil
  }
}
