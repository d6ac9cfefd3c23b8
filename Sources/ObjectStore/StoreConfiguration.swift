public import LogStore

/// How a store is opened.
public struct StoreConfiguration: Sendable {
  /// What happens when operations of the history were edited after the store had met them.
  public enum EditedHistory: Sendable, Hashable {
    /// The store is not opened; for development.
    case refused
    /// The observer is told; for users, whose records cannot be helped by a refusal.
    case reported
  }

  /// How its log is opened: access, durability, reading, sizes.
  public var log = LogConfiguration()
  /// What happens when operations of the history were edited after the store had met them: refused
  /// in builds for debugging, reported in all others. A raised revision is reported in both.
  public var editedHistory = EditedHistory.ofThisBuild

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

extension StoreConfiguration.EditedHistory {
  /// The default; how this library was built tells how the app was.
  static var ofThisBuild: Self {
    #if DEBUG
      .refused
    #else
      .reported
    #endif
  }
}
