internal import SchemaRegistry

/// What a transaction changed of the types that were watched when it began.
struct NotedChanges: Sendable {
  /// One entry for each of those types.
  private(set) var keysByType: [TypeIdentity: ChangedKeys]
  private let write: WatchedWrite

  /// - Precondition: `types` is not empty.
  init(watching types: Set<TypeIdentity>, _ write: WatchedWrite) {
    self.write = write
    keysByType = Dictionary(uniqueKeysWithValues: types.map { ($0, ChangedKeys()) })
  }

  mutating func note(_ key: [UInt8], of type: TypeIdentity) { keysByType[type]?.insert(key) }

  /// Makes notes of many keys of one type, if it is watched.
  mutating func note(_ keys: some Sequence<[UInt8]>, of type: TypeIdentity) {
    guard var changed = keysByType.removeValue(forKey: type) else { return }
    for key in keys { changed.insert(key) }
    keysByType[type] = changed
  }
}
