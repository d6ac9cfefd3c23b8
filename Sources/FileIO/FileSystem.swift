/// The seam to the operating system: everything the engine asks of disks goes through here.
///
/// Implemented by the POSIX file system and, in tests, by a simulated one that keeps live and
/// durable images apart, loses what was not synchronized, tears writes and injects errors.
public protocol FileSystem: Sendable {
  /// Opens the directory at `path`, creating it (mode 0700, one level) when `create` is set.
  ///
  /// - Throws: `.notFound` when it is missing and `create` is false.
  func openDirectory(at path: String, create: Bool) throws(FileIOError) -> any Directory
}

/// An open directory; every file is named relative to it. Safe to use from several threads.
public protocol Directory: AnyObject, Sendable {
  /// The path it was opened with, for messages.
  var path: String { get }

  /// Opens a plain file; symbolic links are refused.
  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File
  /// Opens a plain file that never changes and is never replaced, for reading.
  ///
  /// Where open files are limited its descriptor may be closed and taken again between reads, so
  /// any read may fail like an opening. Costs nothing to keep.
  func openSealed(_ name: FileName) throws(FileIOError) -> any File
  /// The names of all entries except `.` and `..`, in ascending order.
  func list() throws(FileIOError) -> [String]
  /// Renames `source` to `target`, replacing `target` atomically when it exists.
  func rename(_ source: FileName, to target: FileName) throws(FileIOError)
  /// Removes a file's name; open handles keep reading.
  func remove(_ name: FileName) throws(FileIOError)
  /// Makes creations, renames and removals durable.
  func synchronize() throws(FileIOError)
  /// How many bytes this process may still write there; nothing where that is not known.
  func freeByteCount() throws(FileIOError) -> UInt64?
  /// Takes the directory's lock; it is held until `unlock`, close or death. Who wants it for itself
  /// may wait for up to an eighth of a second.
  ///
  /// - Throws: `.locked` with the holder's pid where known.
  func lock(_ kind: LockKind) throws(FileIOError)
  /// Gives the lock back; harmless when it is not held.
  func unlock()
  /// Whether this directory is what is at its path now: somebody may have moved or removed it. True
  /// where nothing tells.
  func isAtItsPath() -> Bool
}

extension Directory {
  /// Opens the file, and keeps it open.
  public func openSealed(_ name: FileName) throws(FileIOError) -> any File {
    try open(name, .read)
  }

  /// It is where directories are never moved.
  public func isAtItsPath() -> Bool { true }
}

/// How a file is opened.
public enum OpenMode: Sendable {
  /// It must exist; writing fails.
  case read
  /// It must exist; reads and writes.
  case readWrite
  /// It must not exist; created with mode 0600.
  case createNew
}

/// Who may share a directory's lock.
public enum LockKind: Sendable {
  /// Any number of readers, no writer.
  case shared
  /// One writer, nobody else.
  case exclusive
}

/// An open file; closed when the last reference goes away. Reads and synchronizations may run on
/// several threads; one at a time writes, truncates and allocates.
public protocol File: AnyObject, Sendable {
  /// Reads up to `buffer.count` bytes at `offset`; fewer only at the end of the file.
  ///
  /// Interrupted and short reads of the operating system are continued inside.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileIOError)
    -> Int
  /// Writes `parts` one after the other starting at `offset`, in one gathered call where possible.
  ///
  /// On failure any prefix may have been written: the caller must not trust the range.
  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError)
  /// The same for one part, which needs no array.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileIOError)
  /// Lets series of small appends go through a mapping, where that is safe and cheaper than a call
  /// for each: into blocks that were reserved behind all that was written.
  ///
  /// With a `worker` what a series needs next is made ready there, and ``startWriting(_:)`` called
  /// there, too.
  ///
  /// Such writes outlive the process like all others. They may not show in the time of the last
  /// change of the file. When the file system fails, the writes of a quarter of a second may still
  /// succeed, or end the process by a signal; ``synchronize()`` tells.
  func mapAppends(preparedBy worker: SerialWorker?)
  /// Ends that mapping, until the next series shows; called by who may append.
  ///
  /// Before a synchronization, so that others who append meanwhile are not interrupted for each
  /// page that goes to the disk: ``synchronize()`` unmaps it first, which takes a while itself.
  func unmapAppends()
  /// Lets the system begin to write what changed in `range` to the disk, so that a synchronization
  /// has less to wait for. Advice: nothing is durable, and nothing fails; where the disk is busy it
  /// may wait for it.
  func startWriting(_ range: Range<UInt64>)
  /// Makes contents and size durable. Never retried: after a failure nothing is known.
  func synchronize() throws(FileIOError)
  /// Sets the size; growing fills with zeros.
  func truncate(to size: UInt64) throws(FileIOError)
  /// Reserves disk blocks for `range` and grows the file to its end, filled with zeros.
  func allocate(_ range: Range<UInt64>) throws(FileIOError)
  /// The current size in bytes.
  func size() throws(FileIOError) -> UInt64
  /// Maps the first `count` bytes for reading; `count` must not exceed the size.
  func map(count: Int) throws(FileIOError) -> MappedBytes
  /// Maps the first `count` bytes for reading, however many the file has by now: what is written
  /// there later is seen as soon as the write returns.
  ///
  /// Reading behind the end ends the process, so only what was written may be read, and must never
  /// be cut off. Nothing where the system cannot do that: then read the file.
  func mapAhead(count: Int) -> MappedBytes?
  /// Gives `target`, which is empty, the first `byteCount` bytes without copying them: both share
  /// blocks of the disk until one of them is changed.
  ///
  /// False where the file system cannot do that: then read and write them.
  func clone(_ byteCount: UInt64, to target: any File) throws(FileIOError) -> Bool
}

extension File {
  /// Writes an array of one part.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileIOError) {
    try write([bytes], at: offset)
  }

  /// Writes by calls.
  public func mapAppends(preparedBy worker: SerialWorker?) {}

  /// Nothing is mapped.
  public func unmapAppends() {}

  /// Does nothing.
  public func startWriting(_ range: Range<UInt64>) {}

  /// Cannot do that.
  public func mapAhead(count: Int) -> MappedBytes? { nil }

  /// Cannot do that.
  public func clone(_ byteCount: UInt64, to target: any File) throws(FileIOError) -> Bool { false }
}
