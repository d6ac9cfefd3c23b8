public import ObjectStore

/// Something that a history promises and does not keep, found with a made-up record.
public struct SelfTestFailure: Sendable, CustomStringConvertible {
  /// The name of the type.
  public let type: String
  /// The version of the record.
  public let from: SchemaVersion
  /// The version that it was brought to.
  public let to: SchemaVersion
  /// What went wrong.
  public let problem: String
  /// The seed that makes the record again.
  public let seed: UInt64

  public var description: String {
    "\(type) from version \(from) to \(to), seed \(seed): \(problem)"
  }
}
