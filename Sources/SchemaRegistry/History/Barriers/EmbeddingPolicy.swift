/// What happens to objects that cannot simply become a part of the object that links to them.
public struct EmbeddingPolicy: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The barrier fails when an object has several links to it, or none, and names them; the store
  /// stays as it is.
  public static let fail: EmbeddingPolicy = []
  /// An object with several links to it becomes a part of each object that links to it.
  public static let duplicateShared = EmbeddingPolicy(rawValue: 1)
  /// An object without a link to it is deleted.
  public static let deleteOrphans = EmbeddingPolicy(rawValue: 2)
}
