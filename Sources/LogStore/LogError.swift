public import FileIO

/// Why the log refused or failed a request; every case says what, where and what to do.
public enum LogError: Error, Equatable, Sendable {
  /// There is no store at `path`, and it was not to be created.
  case storeNotFound(path: String)
  /// A store cannot be created at `path`, as the directory that would hold it is missing.
  case missingParent(path: String, directory: String)
  /// The directory holds files, but neither a manifest nor a segment to rebuild one from.
  case notAStore(path: String)
  /// Another process, or another handle of this one, has the store open.
  case storeIsInUse(path: String, holder: Int32?)
  /// Another process replaces files of the store faster than they could be opened beside it.
  case storeIsBusy(path: String)
  /// A backup or a restore began a copy at `path` and has not finished it, so most may be missing.
  case unfinishedCopy(path: String)
  /// The file was written by a newer version of the library that this one must not touch.
  case newerFormat(file: String, found: Int, supported: Int)
  /// The file may be read, but only a newer version of the library may write the store.
  case newerWriter(file: String)
  /// Bytes that were durable have changed; nothing was repaired or removed.
  case corruption(CorruptionReport)
  /// The operating system failed a request.
  case fileIO(FileIOError)
  /// The disk has no room, no inode or no quota left. Bytes where known; with those that were
  /// needed a batch was refused, of which nothing was written.
  case diskFull(cause: FileIOError, needed: UInt64?, free: UInt64?)
  /// An earlier synchronization failed: reads go on, writes need the store to be opened again.
  case poisoned(cause: FileIOError)
  /// The store was closed.
  case closed
  /// The snapshot is older than the configuration allows, in seconds.
  case snapshotExpired(age: UInt64, maximum: UInt64)
  /// The store was opened for reading only.
  case readOnly
  /// A limit of ``LogLimits`` would be exceeded; nothing was written.
  case limitExceeded(name: String, maximum: UInt64, actual: UInt64)
  /// A key must have at least one byte.
  case emptyKey
  /// Another compaction of this store is running.
  case rewriteIsRunning
  /// A store cannot be copied to `path`; nothing there was changed.
  case copyRefused(path: String, reason: String)
}

extension LogError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .storeNotFound(""), .missingParent("", _):
      "the path of the store is empty; give that of a directory, which need not exist yet"
    case .storeNotFound(let path):
      "there is no store at \(path); check the path; who opens one for writing makes it"
    case .missingParent(let path, let directory):
      "the store \(path) cannot be created: there is no directory \(directory); create it first"
    case .notAStore(let path):
      "\(path) holds files but no manifest and no segment; it is not a store: check the path, "
        + "or restore the store from a backup"
    case .storeIsInUse(let path, let holder?) where LockHolder.isThisProcess(holder):
      "the store \(path) is open in this process already, process \(holder); share what was "
        + "opened first, or close it before it is opened again"
    case .storeIsInUse(let path, let holder?):
      "the store \(path) is in use by process \(holder); close it there, or wait for it to end"
    case .storeIsInUse(let path, nil):
      "the store \(path) is in use by another process or handle; close it there first"
    case .storeIsBusy(let path):
      "the store \(path) changed each time it was about to be read beside its writer; "
        + "try again, and refresh() a store that is open already before"
    case .unfinishedCopy(let path):
      "\(path) holds an unfinished copy of a store: the backup or restore that makes it has not "
        + "ended; wait for it, or run it again to the same place when it was interrupted; when "
        + "what it copied is lost, salvage saves what is there"
    case .newerFormat(let file, let found, let supported):
      "\(file) has format version \(found), this library reads up to \(supported); "
        + "nothing was changed: update the library"
    case .newerWriter(let file):
      "\(file) may only be written by a newer version of the library; nothing was changed: "
        + "open the store for reading only, or update the library"
    case .corruption(let report):
      report.description
    case .fileIO(let error):
      error.description
    case .diskFull(let cause, let needed, let free):
      "the disk is full (\(cause.operation), \(cause.path)): "
        + (needed.map { "\($0) bytes were needed, " } ?? "")
        + (free.map { "\($0) are free" } ?? "how many are free is not known")
        + (needed == nil ? "" : "; nothing was written")
        + ". Delete and compact, or make room, or files and quota where enough bytes are free"
    case .poisoned(let cause):
      "an earlier synchronization failed (\(cause)), so nothing more can be promised; "
        + "close the store, check the disk, and open it again"
    case .closed:
      "the store was closed; open it again"
    case .snapshotExpired(let age, let maximum):
      "the snapshot is \(age) seconds old, and may be used for \(maximum); take a new one"
    case .readOnly:
      "the store was opened for reading only; open it for writing"
    case .limitExceeded(let name, let maximum, let actual):
      "the limit of \(name) is \(maximum), \(actual) were given; nothing was written"
    case .emptyKey:
      "a key must have at least one byte; nothing was written"
    case .copyRefused(let path, let reason):
      "\(path) cannot take the copy: \(reason); nothing there was changed"
    case .rewriteIsRunning:
      "a compaction of this store is running already; wait for it or cancel it"
    }
  }
}

extension LogError {
  /// The failed request to the file system, where it tells of damage to what was to be read.
  var unreadable: FileIOError? {
    guard case .fileIO(let error) = self, error.tellsOfDamage else { return nil }
    return error
  }

  /// The damage that this tells of, by wrong bytes or a bad place of the disk; nothing where it
  /// tells of something else.
  package var damage: CorruptionReport? {
    if case .corruption(let damage) = self { return damage }
    return unreadable.map { CorruptionReport(unreadable: $0) }
  }
}
