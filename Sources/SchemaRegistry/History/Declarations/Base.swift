/// The oldest schema that a history knows: `Base(0) { Type("Person", key: "id") { … } }`.
public struct Base: Hashable, Sendable {
  /// The version of the oldest schema.
  public let version: SchemaVersion
  /// The types of that version.
  public let types: [Type]
  /// The history fingerprint at this version, when the versions before it were squashed away.
  public let fingerprint: ShapeFingerprint?
  /// The fingerprints that this version had before revisions of code were raised which was squashed
  /// away: stores that met it earlier have one of them.
  public let formerFingerprints: [ShapeFingerprint]
  /// The types that versions which were squashed away removed: their objects stay gone.
  public let removedTypes: [TypeIdentity]

  public init(_ version: SchemaVersion, @TypeBuilder types: () -> [Type]) {
    self.init(version: version, types: types())
  }

  /// The same without a builder, for tools.
  public init(
    version: SchemaVersion, types: [Type], fingerprint: ShapeFingerprint? = nil,
    formerFingerprints: [ShapeFingerprint] = [], removedTypes: [TypeIdentity] = []
  ) {
    self.version = version
    self.types = types
    self.fingerprint = fingerprint
    self.formerFingerprints = formerFingerprints
    self.removedTypes = removedTypes
  }
}
