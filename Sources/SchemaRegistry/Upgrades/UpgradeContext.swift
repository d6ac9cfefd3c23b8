internal import BinaryCoding

/// Everything a step may know besides the record's values; all but ``fromVersion`` is the same on
/// every run.
///
/// Clocks and random numbers are not available to steps: a record is upgraded at unknown times, any
/// number of times. These values stand in for them.
public struct UpgradeContext: Sendable {
  /// What the record's type is, whatever it is called.
  public let type: TypeIdentity
  /// The name of the record's type under the version of the step.
  public let typeName: String
  /// The record's key as stored.
  public let key: [UInt8]
  /// The record's key for people.
  public let keyText: String
  /// The version the record is stored under, for messages: what a step gives must not depend on it.
  ///
  /// It is that of the app which put the object, or of a later one that wrote it again in between,
  /// as compaction does without being asked. So one object has another version here in another copy
  /// of the store.
  public let fromVersion: SchemaVersion
  /// The operation that runs, as in `v3/Person/2`.
  public let operationID: String
  /// When the record was committed, in seconds since 1970.
  ///
  /// Compaction keeps it. What a barrier, a block at open or a materialised step writes again has
  /// the time of that, so that in another copy of the store it may be another.
  public let committedAt: UInt64

  /// An identifier that depends only on the record, the operation and `label`.
  ///
  /// Equal on every run and on every machine, and different for different labels. Marked as a
  /// custom identifier (version 8) in the sense of RFC 9562.
  public func stableUUID(_ label: String) -> UniqueIdentifier {
    var writer = ByteWriter()
    writer.writeVariableLength(type.introducedIn.rawValue)
    writer.writeString(type.originalName)
    PayloadPrimitives.writeData(key, to: &writer)
    writer.writeString(operationID)
    writer.writeString(label)
    let sum = ShapeFingerprint(of: writer.bytes)
    return UniqueIdentifier(
      high: sum.high & ~0xF000 | 0x8000, low: sum.low & ~(3 << 62) | 2 << 62)
  }
}
