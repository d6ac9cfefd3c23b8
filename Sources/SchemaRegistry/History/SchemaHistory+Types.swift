extension SchemaHistory {
  /// The types with steps whose results are to be written at the next chance.
  public var materialisedTypes: Set<TypeIdentity> {
    Set(
      derived.values.flatMap(\.transitions).filter {
        $0.value.operations.contains(where: \.materialises)
      }.map(\.key))
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
