/// What one version of a history did when a store first met it: the ids of its operations and what
/// tells an edited one, so that a version which was changed after it shipped is noticed.
public struct RecordedVersion: Hashable, Sendable {
  /// One operation.
  public struct Operation: Hashable, Sendable {
    /// Stable for ever, as in `v3/Person/2`.
    public let id: String
    /// A hash of the parameters.
    public let parameterHash: UInt64
    /// What the author raised when the meaning of the operation's code changed.
    public let revision: UInt32

    public init(id: String, parameterHash: UInt64, revision: UInt32) {
      self.id = id
      self.parameterHash = parameterHash
      self.revision = revision
    }
  }

  /// The version.
  public let version: SchemaVersion
  /// The history's fingerprint at it: a hash chain over everything before, too.
  public let fingerprint: ShapeFingerprint
  /// Its operations, in order.
  public let operations: [Operation]
  /// What apps of earlier versions can do with the types that it touched; all for those left out.
  public let grades: [TypeIdentity: ForwardGrade]
  /// How apps of earlier versions read what it took or changed, in order.
  public let inverses: [MemberInverse]
  /// What older records have for each member that it added; only of stores that grow by addition,
  /// without a history.
  public let defaults: [MemberDefault]?
  /// The same for what it added inside embedded objects: objects with the values, by the member of
  /// the type that is or holds them.
  public let embeddedDefaults: [MemberDefault]
  /// What new embedded objects hold in members that it declared, where those had no object.
  public let innerDefaults: [InnerDefault]

  public init(
    version: SchemaVersion, fingerprint: ShapeFingerprint, operations: [Operation],
    grades: [TypeIdentity: ForwardGrade] = [:], inverses: [MemberInverse] = [],
    defaults: [MemberDefault]? = nil, embeddedDefaults: [MemberDefault] = [],
    innerDefaults: [InnerDefault] = []
  ) {
    self.version = version
    self.fingerprint = fingerprint
    self.operations = operations
    self.grades = grades
    self.inverses = inverses
    self.defaults = defaults
    self.embeddedDefaults = embeddedDefaults
    self.innerDefaults = innerDefaults
  }
}
