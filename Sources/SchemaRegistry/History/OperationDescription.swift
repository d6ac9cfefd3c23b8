/// One operation of a history as the catalog and the tools see it.
public struct OperationDescription: Hashable, Sendable {
  /// Stable for ever once shipped, as in `v3/Person/2`: version, type, position from 1.
  public let id: String
  /// The version that the operation belongs to.
  public let version: SchemaVersion
  /// The type that the operation is about, under its name at that point.
  public let typeName: String
  /// What the type is; the same after it is renamed.
  public let type: TypeIdentity
  /// A hash of the parameters without the code of closures and its revision.
  public let parameterHash: UInt64
  /// A hash of what older apps read in place of what it takes or changes, where its author says
  /// so; else 0.
  public let wayBackHash: UInt64
  /// What the author raised when the meaning of the code changed; 0 for operations without code.
  public let revision: UInt32
  /// What the operation means for older apps.
  public internal(set) var forward: ForwardEffect
  /// Nil for changes of the set of types.
  public let operationClass: RecordOperation.Class?
  /// Whether objects from before differ from those after it; not so for new cases.
  public let changesObjects: Bool
  /// Whether only a description of the operation's code is at hand.
  public let needsApplicationCode: Bool

  public init(
    id: String, version: SchemaVersion, typeName: String, type: TypeIdentity,
    parameterHash: UInt64, wayBackHash: UInt64 = 0, revision: UInt32 = 0,
    operationClass: RecordOperation.Class?, changesObjects: Bool = true,
    needsApplicationCode: Bool, forward: ForwardEffect
  ) {
    self.id = id
    self.version = version
    self.typeName = typeName
    self.type = type
    self.parameterHash = parameterHash
    self.wayBackHash = wayBackHash
    self.revision = revision
    self.forward = forward
    self.operationClass = operationClass
    self.changesObjects = changesObjects
    self.needsApplicationCode = needsApplicationCode
  }
}
