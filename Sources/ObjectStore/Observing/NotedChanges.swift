internal import SchemaRegistry

/// What a transaction changed of the types that were watched when it began.
struct NotedChanges: Sendable {
  /// One entry for each of those types.
  private(set) var keysByType: [TypeIdentity: ChangedKeys]
  private let write: WatchedWrite

  /// For each type, whether keys are kept, or only that something changed.
  ///
  /// - Precondition: `types` is not empty.
  init(watching types: [TypeIdentity: Bool], _ write: WatchedWrite) {
    self.write = write
    keysByType = types.mapValues { keepsKeys in ChangedKeys(keepsKeys: keepsKeys) }
  }

  mutating func note(_ key: [UInt8], of type: TypeIdentity) { keysByType[type]?.insert(key) }

  /// Makes notes of many keys of one type, if it is watched; asks for no more than are kept.
  mutating func note(_ keys: some Sequence<[UInt8]>, of type: TypeIdentity) {
    guard keysByType[type]?.isAny == false, var changed = keysByType.removeValue(forKey: type)
    else { return }
    for key in keys {
      changed.insert(key)
      if changed.isAny { break }
    }
    keysByType[type] = changed
  }
}
