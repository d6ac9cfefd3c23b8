public import FileIO

/// How a log is opened; the defaults suit an application that wants safety first.
public struct LogConfiguration: Sendable {
  /// Whether the log may be changed.
  public enum Access: Sendable, Hashable {
    case readWrite
    /// Nothing is written. Shares the lock with other readers, and needs none beside a writer.
    case readOnly
  }

  /// How records are read.
  public enum ReadMode: Sendable, Hashable {
    /// Through a mapping: fastest. A failing disk ends the process by signal.
    case mapped
    /// By reading into a buffer: a failing disk is a typed error.
    case buffered
  }

  /// How small commits are written.
  public enum WriteMode: Sendable, Hashable {
    /// Series of those that are not synchronized one by one are copied into a mapping of reserved
    /// blocks, where the system can report beforehand what would go wrong (Linux 5.14, ext4 or
    /// memory); anything else by calls. When the file system fails, commits of a quarter of a
    /// second that only need to survive the process may still succeed, or the process ends by a
    /// signal.
    case mapped
    /// By a call to the system for each: a failing disk is a typed error, if reading is buffered
    /// too.
    case buffered
  }

  /// Whether payloads are compressed with LZ4, each by itself.
  ///
  /// Compaction makes a dictionary for each collection and schema version with a few thousand
  /// records that are smaller with one, that of an open store before anything is to be compacted;
  /// from then on they are compressed against it.
  public enum Compression: Sendable, Hashable {
    /// Where it saves at least 12 per cent; not tried where compaction found that it does not.
    ///
    /// Payloads of up to 1 KiB that have no dictionary yet are written as they are, but for a
    /// sample, while that saves less than a quarter of a collection's: quicker to write and to
    /// read, and larger until a compaction makes dictionaries.
    case automatic
    /// Wherever it saves a byte: the smallest store, for slower writes and reads.
    case always
    /// Nothing is compressed and no dictionary made; what is compressed already stays so.
    case none
  }

  /// Who does the work that keeps the store in shape: merging indexes, writing zeros ahead; and
  /// whether threads may help who writes, or walks many records.
  public enum Maintenance: Sendable, Hashable {
    /// Threads of the log's own, which exist only while there is work. They look up what commits
    /// replace, encode a part of many records that are put together, and read ahead in long walks,
    /// too.
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
  /// Whether a log that is read only lets others open the store for writing meanwhile; false.
  ///
  /// Without, one that is opened while nobody writes has the store's lock until it is closed, and a
  /// writer fails with ``LogError/storeIsInUse(path:holder:)`` meanwhile. With it, opening opens
  /// all segments, as beside a writer, and ``Log/refresh()`` shows what was committed since.
  /// Of more than `openFileMaximum` files those may be missing that a writer removes.
  public var admitsWriters = false
  /// What a commit survives when it does not say otherwise; beside a writer, what the commits must
  /// survive that are shown.
  public var durability = Durability.full
  /// How segments are read.
  public var readMode = ReadMode.mapped
  /// How segments are written.
  public var writeMode = WriteMode.mapped
  /// Which records are compressed.
  public var compression = Compression.automatic
  /// The smallest target size of a segment, in bytes: 2 MiB.
  public var segmentByteCountMinimum: UInt64 = 2 << 20
  /// The largest target size of a segment, in bytes: 64 MiB. Between the two it is a 44th of the
  /// store's size, or room for 32 commits like the largest of the segment before where that had
  /// 64 KiB or more, up to two times the smallest, or four where that is a quarter of the store.
  public var segmentByteCountMaximum: UInt64 = 64 << 20
  /// The most disk space that is held back for deletions and compaction on a full disk, in bytes,
  /// but for 64 KiB beside it: 32 MiB; 0 for none.
  ///
  /// The reserve has room for a segment and a quarter, two indexes of one, and what else a
  /// compaction takes, or for as much as the store has, whichever is less, and 64 KiB. With it, a
  /// full disk can be freed by deleting and compacting, as far as what is live in a segment fits
  /// the reserve. Made where the file system tells what is free, and has room.
  public var diskReserveByteCountMaximum: UInt64 = 32 << 20
  /// How many files of sealed segments stay open for reading, at least 1; by default an eighth of
  /// what the process may open, between 16 and 256.
  ///
  /// Beyond it the one used least recently is closed and opened again when it is read. Mapped
  /// segments count only until they are mapped. The log needs some six descriptors besides.
  /// A reader beside a writer that reads into buffers keeps all open: the writer may remove them.
  public var openFileMaximum = OpenFileBudget.maximumByDefault
  /// Bytes of merged indexes that are kept in memory where they are read into buffers: 8 MiB. With
  /// mapped reading the operating system decides.
  public var indexCacheByteCount = 8 << 20
  /// Who does the work that keeps the store in shape.
  public var maintenance = Maintenance.background
  /// Bytes of a transaction's changes that are kept in memory before they are written to segments
  /// of its own: 16 MiB. A transaction that exceeds it is durable when it is committed.
  public var transactionByteCountInMemory = 16 << 20
  /// Keys of the smallest merged index of a range: from twice as many on, all indexes are merged a
  /// range of keys at a time.
  package var rangeKeyCountMinimum: UInt64 = 32 << 10
  /// A segment is full when its index may have more bytes than this; tests lower it.
  package var indexByteCountMaximum = LogLimits.indexByteCount
  /// Whether small commits get short headers; without, all that are new are as in formats 1 to 6.
  package var hasShortFrames = true
  /// Whether manifests say between which keys those of indexes lie; without, they are as in
  /// formats 1 to 7.
  package var notesHeads = true
  /// Whether manifests list who has written; without, they are as in formats 1 to 8.
  package var notesSessions = true
  /// Who is told what happens to the store; nobody unless given.
  public var observer: (any StoreObserver)?
  /// Called when there may be something to compact, under the writer's lock; must return at once.
  ///
  /// That is when a segment began, a large transaction was committed in segments of its own, as
  /// much as a segment holds was found to be dead, a commit found no room, or used what the reserve
  /// left.
  package var mayCompact: (@Sendable () -> Void)?
  /// Seconds for which a snapshot may be used; nothing for as long as it is held.
  ///
  /// What an older one pins on disk is let go when it is used again or with the next commit. A walk
  /// or look-up that was begun goes on, and pins what it reads until it is let go. The clock is
  /// that of `timeSource`: one that is set forward makes snapshots expire early.
  public var snapshotMaximumAge: UInt64?
  /// Where commit times come from.
  public var timeSource: any TimeSource = SystemTimeSource()
  /// Where store identifiers and salts come from.
  public var randomSource: any RandomSource = SystemRandomSource()

  public init() {}
}
