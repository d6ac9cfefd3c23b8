public import Compaction
public import SchemaRegistry

/// How an open store compacts itself.
public struct CompactionConfiguration: Sendable {
  /// Who carries compactions out.
  public enum Mode: Sendable, Hashable {
    /// A thread of the store's own, which exists only while there is work; looks when a segment
    /// begins or as much was deleted. Needs background maintenance of the log, else it is as `off`.
    case automatic
    /// Nobody, until ``AutomaticCompaction/step()`` is called: for tests that must repeat.
    case manual
    /// Nobody but ``Store/compact(_:pace:progress:)``.
    case off
  }

  /// Which records are upgraded for good; see ``CompactionConfiguration/upgradeThrough``.
  public enum UpgradeHorizon: Sendable, Hashable {
    /// All of an older version.
    case newest
    /// All of an older version, once the current version has been known to the store for so many
    /// days: until then they are copied as they are, and still upgraded when they are read.
    ///
    /// The days count from the first commit of that version, or from the first compaction that met
    /// records to upgrade to it; anew where what the version describes has changed since, as when a
    /// type comes to be known to one of two apps that share it.
    case olderThan(days: Int)
    /// All of an older version, unless the current version is above this one, which is the newest
    /// that was shipped: while a version is being written, nothing that it does is made permanent.
    case shipped(SchemaVersion)
  }

  /// Who carries compactions out.
  public var mode = Mode.automatic
  /// What is found worth it.
  public var policy = CompactionPolicy.automatic
  /// What it may take of the machine: 32 MiB in a second and a quarter of one processor.
  public var pace = CompactionPace(byteCountPerSecond: 32 << 20, processorShare: 0.25)
  /// The part of the store's bytes that may be dead before automatic compaction exceeds its pace, 0
  /// to 1: the more is dead above it, the more it takes, up to a whole processor. 1 for never.
  ///
  /// So that the disk does not fill while an application overwrites for a long time. What it copies
  /// is compressed quickly then, to a tenth more. Frames count as dead: commits of single small
  /// objects have some 24 bytes each, until they are copied.
  public var urgentDeadFraction = 0.25
  /// Which records compaction upgrades for good.
  ///
  /// A step with a bug can be taken back as long as the old bytes are there: hold upgrades back for
  /// as many days as you need to find it. Holds for ``Store/compact(_:pace:progress:)`` too.
  public var upgradeThrough = UpgradeHorizon.newest

  /// The defaults: automatic, within the budget above, everything upgraded.
  public init() {}

  /// No compaction but the one that is asked for.
  public static var off: CompactionConfiguration {
    var configuration = CompactionConfiguration()
    configuration.mode = .off
    return configuration
  }
}
