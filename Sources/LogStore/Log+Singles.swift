internal import BinaryCoding

/// Commits of one change each, which need no batch.
///
/// The memory of one is used for the next, so that a series of them costs less than a batch for
/// each. Many changes at once cost a fraction of as many commits: see ``Log/makeBatch()``.
extension Log {
  /// Gives `key` a new payload; returns the sequence of the record.
  ///
  /// What ``WriteBatch/put(_:in:schemaVersion:payload:)-(UnsafeRawBufferPointer,_,_,_)`` and
  /// ``commit(_:durability:)-(WriteBatch,_)`` do together, with their promises and errors. From any
  /// thread; threads that commit at the same time share one write and one synchronization.
  @discardableResult
  public func put(
    _ key: UnsafeRawBufferPointer, in collection: CollectionIdentifier, schemaVersion: UInt64,
    payload: UnsafeRawBufferPointer, durability: Durability? = nil
  ) throws(LogError) -> CommitSequence {
    let single = beginSingle(durability)
    defer { endSingle(single) }
    try single.batch.put(key, in: collection, schemaVersion: schemaVersion, payload: payload)
    return try commit(single)
  }

  /// Gives `key` a new payload; returns the sequence of the record.
  @discardableResult
  public func put(
    _ key: [UInt8], in collection: CollectionIdentifier, schemaVersion: UInt64, payload: [UInt8],
    durability: Durability? = nil
  ) throws(LogError) -> CommitSequence {
    try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
      try payload.withBytes { (payload: UnsafeRawBufferPointer) throws(LogError) in
        try put(
          key, in: collection, schemaVersion: schemaVersion, payload: payload,
          durability: durability)
      }
    }
  }

  /// Removes `key`; a tombstone is written whether the key exists or not. Returns its sequence.
  ///
  /// - Precondition: the collection is not the catalog, whose records are replaced, never removed.
  @discardableResult
  public func delete(
    _ key: UnsafeRawBufferPointer, in collection: CollectionIdentifier,
    durability: Durability? = nil
  ) throws(LogError) -> CommitSequence {
    let single = beginSingle(durability)
    defer { endSingle(single) }
    try single.batch.delete(key, in: collection)
    return try commit(single)
  }

  /// Removes `key`; a tombstone is written whether the key exists or not. Returns its sequence.
  @discardableResult
  public func delete(
    _ key: [UInt8], in collection: CollectionIdentifier, durability: Durability? = nil
  ) throws(LogError) -> CommitSequence {
    try key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
      try delete(key, in: collection, durability: durability)
    }
  }
}
