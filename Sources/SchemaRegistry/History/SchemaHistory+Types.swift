internal import BinaryCoding

extension SchemaHistory {
  /// The types with steps whose results are to be written at the next chance.
  public var materialisedTypes: Set<TypeIdentity> {
    var types: Set<TypeIdentity> = []
    for version in derived.values {
      for (type, transition) in version.transitions.entries
      where transition.operations.contains(where: \.materialises) {
        types.insert(type)
      }
    }
    return types
  }

  /// Whether no version ever had the type, not even one that was squashed away.
  public func isForeign(_ type: TypeIdentity) -> Bool {
    !knows(type) && !base.removedTypes.contains(type)
  }

  /// Whether any version of the history has the type.
  public func knows(_ type: TypeIdentity) -> Bool {
    derived.values.contains { $0.shape.type(type) != nil }
  }
}
