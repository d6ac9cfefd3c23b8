public import BinaryCoding
internal import LogStore
internal import SchemaRegistry

extension StoreTransaction {
  /// Stores objects, each in place of the one with the same key if there is one.
  ///
  /// The same as storing one after another, and faster for many small ones: up to 512 are encoded
  /// before they are stored, and where their type has no indexes two threads compress them, if the
  /// store may have threads. The sequence must not read or change the transaction.
  ///
  /// - Throws: what storing one of them throws. Those before it are stored.
  @inlinable
  public func put<Model: StorableObject>(
    contentsOf objects: some Sequence<Model>
  ) throws(StoreError) {
    let binding = try bindings.binding(of: Model.self)
    var encoded = EncodedObjects()
    for object in objects {
      do throws(StoreError) {
        try binding.encode(object, to: &encoded)
      } catch {
        encoded.undo()
        try put(&encoded, as: binding)
        throw error
      }
      if encoded.isFull { try put(&encoded, as: binding) }
    }
    try put(&encoded, as: binding)
  }

  /// Stores what was encoded, and forgets it.
  @usableFromInline
  func put(_ encoded: inout EncodedObjects, as binding: ModelBinding) throws(StoreError) {
    guard encoded.count > 0 else { return }
    if try !putTogether(encoded.lent, as: binding) {
      for object in encoded.lent {
        try put((key: [UInt8](object.key), payload: [UInt8](object.payload)), as: binding)
      }
    }
    encoded.removeAll()
  }

  /// Stores them without looking at any by itself, where none needs that; false otherwise.
  private func putTogether(
    _ records: [KeyedPayload], as binding: ModelBinding
  ) throws(StoreError) -> Bool {
    guard !binding.hidesMembers, reader.schema.newer == nil else { return false }
    let collection = try describe(binding.shape)
    guard !hasIndexes || catalog.maintainedIndexes(of: binding.shape.identity).isEmpty else {
      return false
    }
    do throws(LogError) {
      try transaction.put(
        records, in: collection, schemaVersion: reader.schema.version.rawValue)
      noteChanges(records, of: binding.shape)
      return true
    } catch {
      // One of them may not be stored, and none is: one by one, those before it are.
      switch error {
      case .limitExceeded, .emptyKey: return false
      default: throw .log(error)
      }
    }
  }
}

extension ModelBinding {
  /// Adds the key's bytes and the payload of an object to `encoded`.
  @inlinable
  func encode<Model: StorableObject>(
    _ object: consuming Model, to encoded: inout EncodedObjects
  ) throws(StoreError) {
    guard isInOrder else {
      let (key, payload) = try encodeByName(object)
      payload.withUnsafeBytes { encoded.bytes.writeBytes($0) }
      return encoded.end(key)
    }
    let key = try write(object, to: &encoded.bytes)
    encoded.end(try bytes(of: key))
  }
}
