/// The oldest schema that a history knows: `Base(0) { Type("Person", key: "id") { … } }`.
public struct Base: Hashable, Sendable {
  /// The version of the oldest schema.
  public let version: SchemaVersion
  /// The types of that version.
  public let types: [Type]
  /// The history fingerprint at this version, when the versions before it were squashed away.
  public let fingerprint: ShapeFingerprint?

  public init(_ version: SchemaVersion, @TypeBuilder types: () -> [Type]) {
    self.init(version: version, types: types())
  }

  /// The same without a builder, for tools.
  public init(version: SchemaVersion, types: [Type], fingerprint: ShapeFingerprint? = nil) {
    self.version = version
    self.types = types
    self.fingerprint = fingerprint
  }
}
