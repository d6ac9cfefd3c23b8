extension SchemaHistory {
  /// The ids of operations that were edited, inserted or taken away since a store recorded them.
  ///
  /// Looks at versions after the base up to `version`; later ones are not shipped yet.
  public func editedOperations(
    since stored: [OperationDescription], through version: SchemaVersion
  ) -> [String] {
    let old = stored.filter { $0.version > base.version && $0.version <= version }
    let new = operations.filter { $0.version > base.version && $0.version <= version }
    var hashes: [String: UInt64] = [:]
    for operation in old { hashes[operation.id] = operation.parameterHash }
    var edited: [String] = []
    for operation in new where hashes.removeValue(forKey: operation.id) != operation.parameterHash {
      edited.append(operation.id)
    }
    return edited + hashes.keys.sorted()
  }

  /// Whether any version of the history has the type.
  public func knows(_ type: TypeIdentity) -> Bool {
    derived.values.contains { $0.shape.type(type) != nil }
  }
}
