public import FileIO

/// How a log is opened; the defaults suit an application that wants safety first.
public struct LogConfiguration: Sendable {
  /// Whether the log may be changed.
  public enum Access: Sendable, Hashable {
    case readWrite
    /// Nothing is written; shares the lock with other readers.
    case readOnly
  }

  /// How records of sealed segments are read.
  public enum ReadMode: Sendable, Hashable {
    /// Through a mapping: fastest. A failing disk ends the process by signal.
    case mapped
    /// By reading into a buffer: a failing disk is a typed error.
    case buffered
  }

  /// Whether payloads are compressed with LZ4.
  public enum Compression: Sendable, Hashable {
    /// Where it saves at least 12 per cent.
    case automatic
    case none
  }

  /// Who does the work that keeps the store in shape: merging indexes, writing zeros ahead.
  public enum Maintenance: Sendable, Hashable {
    /// A thread of the log's own, which exists only while there is work.
    case background
    /// The thread whose commit makes the work necessary: slower commits, but the same operations
    /// give the same bytes.
    case inline
    /// Nobody; what reads and commits need is done all the same.
    case none
  }

  /// Creates the store when there is none; ignored for read-only access.
  public var createIfMissing = true
  /// Whether the log may be written.
  public var access = Access.readWrite
  /// What a commit survives when it does not say otherwise.
  public var durability = Durability.full
  /// How segments are read.
  public var readMode = ReadMode.mapped
  /// Which records are compressed.
  public var compression = Compression.automatic
  /// The smallest target size of a segment, in bytes: 1 MiB.
  public var segmentByteCountMinimum: UInt64 = 1 << 20
  /// The largest target size of a segment, in bytes: 64 MiB. Between the two it is a 32nd of the
  /// store's size.
  public var segmentByteCountMaximum: UInt64 = 64 << 20
  /// Who does the work that keeps the store in shape.
  public var maintenance = Maintenance.background
  /// Who is told what happens to the store; nobody unless given.
  public var observer: (any StoreObserver)?
  /// Where commit times come from.
  public var timeSource: any TimeSource = SystemTimeSource()
  /// Where store identifiers and salts come from.
  public var randomSource: any RandomSource = SystemRandomSource()

  public init() {}
}
