extension SchemaHistory {
  /// Whether any version of the history has the type.
  public func knows(_ type: TypeIdentity) -> Bool {
    derived.values.contains { $0.shape.type(type) != nil }
  }
}
