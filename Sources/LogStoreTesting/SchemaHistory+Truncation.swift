internal import ObjectStore

extension SchemaHistory {
  /// The history as the app of `version` had it.
  func truncated(at version: SchemaVersion) throws(SchemaError) -> SchemaHistory {
    _ = try shape(at: version)
    return SchemaHistory(
      base: base, versions: versions.filter { $0.number <= version }, allowsGaps: true)
  }
}
