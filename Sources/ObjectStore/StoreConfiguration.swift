public import LogStore

/// How a store is opened.
public struct StoreConfiguration: Sendable {
  /// How its log is opened: access, durability, reading, sizes.
  public var log = LogConfiguration()

  /// The defaults: created when missing, durable commits, mapped reading.
  public init() {}

  /// Nothing is created or written.
  public static var readOnly: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.log.access = .readOnly
    configuration.log.createIfMissing = false
    return configuration
  }
}
