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

  /// What an app does with a store that a newer version of it wrote to.
  public enum NewerStore: Sendable, Hashable {
    /// The store is not opened, and stays as it is.
    case refused
    /// Each type is read and written as far as the newer version recorded that this is safe: what
    /// this version does not know stays in every record that it writes. Types for which it is not
    /// are refused when they are used; see ``ForwardGrade``.
    case projected
  }

  /// How its log is opened: access, durability, reading, sizes.
  public var log = LogConfiguration()
  /// How it compacts itself.
  public var compaction = CompactionConfiguration()
  /// What happens when operations of the history were edited after the store had met them: refused
  /// in builds for debugging, reported in all others. A raised revision is reported in both.
  public var editedHistory = EditedHistory.ofThisBuild

  /// What happens when a newer version of the app wrote to the store: it is refused unless set.
  public var newerStore = NewerStore.refused
  /// Whether the closures of steps run twice and fail unless both results are the same, and
  /// migration blocks and failure policies are refused that name what nothing has: in builds for
  /// debugging unless set.
  public var checksPurity = EditedHistory.ofThisBuild == .refused
  /// What readers get for objects whose upgrade fails, by the current names of their types; the
  /// error unless given.
  public var failurePolicies: [String: FailurePolicy] = [:]
  /// How long the upgrade of one object may take before the observer is told which operation takes
  /// that long: 5 ms unless set; nothing for never. Only code is timed, and only with an observer.
  public var slowMigrationBudget: Duration? = .milliseconds(5)
  /// What may run when the store is opened.
  public var barriers = Barriers()

  /// How barriers of the history are treated when the store is opened.
  public struct Barriers: Sendable {
    /// Bytes of records up to which barriers run by themselves: 64 MiB. Above, opening throws
    /// ``StoreError/barrierPending(_:)``, so that the app can show progress and set this to `.max`.
    public var byteCountMaximum: UInt64 = 64 << 20
    /// Told every 256 records; all barriers of the opening are given up when it returns false.
    public var progress: (@Sendable (BarrierProgress) -> Bool)?

    /// The defaults.
    public init() {}
  }

  /// The defaults: created when missing, durable commits, mapped reading.
  public init() {}

  /// Nothing is created or written, and others may open the store for writing meanwhile.
  ///
  /// ``Store/refresh()`` shows what they have written since. Set `log.admitsWriters` to false to
  /// keep writers out until the store is closed; who opens it for writing meanwhile gets
  /// ``LogError/storeIsInUse(path:holder:)``.
  public static var readOnly: StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.log.admitsWriters = true
    configuration.log.access = .readOnly
    configuration.log.createIfMissing = false
    return configuration
  }

  /// Whether a thread of the store's own compacts it.
  var compactsAutomatically: Bool {
    compaction.mode == .automatic && log.access == .readWrite && log.maintenance == .background
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
