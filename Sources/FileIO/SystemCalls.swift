#if os(Linux)
  internal import CLinux
#endif

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The system calls in use, each made to throw its error code; nothing else reads `errno`.
///
/// Interrupted calls are repeated, except the ones that synchronize: after a failed sync nothing is
/// known about the pages, and a second call may report success for data that is gone.
enum SystemCalls {
  /// The code a failed call left behind.
  struct Failure: Error {
    let code: Int32
  }

  /// How many parts one gathered write takes: the least `IOV_MAX` of the systems we run on.
  static let gatheredPartCountLimit = 1024

  private static func once<Value: FixedWidthInteger & SignedInteger>(
    _ call: () -> Value
  ) throws(Failure) -> Value {
    let result = call()
    if result == -1 { throw Failure(code: errno) }
    return result
  }

  static func repeating<Value: FixedWidthInteger & SignedInteger>(
    _ call: () -> Value
  ) throws(Failure) -> Value {
    while true {
      let result = call()
      if result != -1 { return result }
      let code = errno
      if code != EINTR { throw Failure(code: code) }
    }
  }

  static func makeDirectory(_ path: String) throws(Failure) {
    _ = try repeating { mkdir(path, 0o700) }
    // A process mask may have taken even our own rights, and then it could not be opened. Systems
    // that cannot do this without following links fail here, which only matters with such a mask.
    _ = fchmodat(AT_FDCWD, path, 0o700, AT_SYMLINK_NOFOLLOW)
  }

  /// Opens a directory; `follow` allows a symbolic link as the last part of the path.
  static func openDirectory(_ path: String, follow: Bool) throws(Failure) -> Int32 {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW)
    return try repeating { open(path, flags) }
  }

  /// Opens a file of a directory; never follows a link and never waits for a pipe's other end.
  static func openFile(
    _ name: String, in directory: Int32, _ mode: OpenMode
  ) throws(Failure) -> Int32 {
    let common = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    return switch mode {
    case .read: try repeating { openat(directory, name, O_RDONLY | common) }
    case .readWrite: try repeating { openat(directory, name, O_RDWR | common) }
    case .createNew:
      try repeating { openat(directory, name, O_RDWR | O_CREAT | O_EXCL | common, 0o600) }
    }
  }

  /// Opens a file of the operating system by its path, for reading.
  static func openSystemFile(_ path: String) throws(Failure) -> Int32 {
    try repeating { open(path, O_RDONLY | O_CLOEXEC) }
  }

  /// Closes a descriptor. Not repeated: after an interrupted close its number may be in use again.
  static func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
  }

  /// Gives an open file to the user and the group that an open directory belongs to, where that is
  /// not root and this process is.
  ///
  /// Advice: where the system refuses, or has no owners, the file stays as it is. Root itself, as
  /// that of a container which may not give files away, goes on with it.
  static func giveToOwner(of directory: Int32, _ descriptor: Int32) {
    guard geteuid() == 0, let owner = try? status(directory), owner.st_uid != 0 else { return }
    _ = try? repeating { fchown(descriptor, owner.st_uid, owner.st_gid) }
  }

  static func status(_ descriptor: Int32) throws(Failure) -> stat {
    var status = stat()
    _ = try repeating { fstat(descriptor, &status) }
    return status
  }

  static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: off_t
  ) throws(Failure) -> Int {
    try repeating { pread(descriptor, buffer.baseAddress, buffer.count, offset) }
  }

  static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: off_t
  ) throws(Failure) -> Int {
    try repeating { pwrite(descriptor, bytes.baseAddress, bytes.count, offset) }
  }

  static func write(
    _ descriptor: Int32, gathering parts: [iovec], at offset: off_t
  ) throws(Failure) -> Int {
    try repeating { pwritev(descriptor, parts, Int32(parts.count), offset) }
  }

  /// Lets a file have the blocks of another, which the file system keeps apart when one changes;
  /// false where the system or the file system cannot.
  static func clone(_ source: Int32, to target: Int32) -> Bool {
    #if canImport(Glibc)
      // FICLONE, which the headers define by a macro that is not imported.
      return ioctl(target, 0x4004_9409, source) == 0
    #else
      return false
    #endif
  }

  static func truncate(_ descriptor: Int32, to size: off_t) throws(Failure) {
    _ = try repeating { ftruncate(descriptor, size) }
  }

  /// Makes contents and size durable.
  static func synchronizeFile(_ descriptor: Int32) throws(Failure) {
    #if canImport(Darwin)
      try synchronizeDrive(descriptor)
    #else
      _ = try once { fdatasync(descriptor) }
    #endif
  }

  #if os(Linux)
    /// Lets the system begin to write changed pages; errors show when the file is synchronized.
    static func startWriting(_ descriptor: Int32, _ range: Range<UInt64>) {
      guard let start = Int64(exactly: range.lowerBound),
        let count = Int64(exactly: range.upperBound - range.lowerBound)
      else { return }
      _ = sync_file_range(descriptor, start, count, 2)  // SYNC_FILE_RANGE_WRITE
    }
  #endif

  /// Makes the names in a directory durable.
  static func synchronizeDirectory(_ descriptor: Int32) throws(Failure) {
    #if canImport(Darwin)
      try synchronizeDrive(descriptor)
    #else
      _ = try once { fsync(descriptor) }
    #endif
  }

  #if canImport(Darwin)
    /// On Darwin `fsync` stops at the drive's cache; file systems without the full variant have no
    /// better than `fsync`.
    private static func synchronizeDrive(_ descriptor: Int32) throws(Failure) {
      do {
        _ = try once { fcntl(descriptor, F_FULLFSYNC) }
      } catch {
        guard [ENOTSUP, EINVAL, ENOTTY].contains(error.code) else { throw error }
        _ = try once { fsync(descriptor) }
      }
    }
  #endif

  /// Reserves blocks for a range, growing the file to its end; false where that is not known.
  static func reserve(
    _ descriptor: Int32, from start: off_t, count: off_t
  ) throws(Failure) -> Bool {
    #if canImport(Darwin)
      var request = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
        fst_length: count, fst_bytesalloc: 0)
      let code: Int32
      do {
        _ = try repeating { fcntl(descriptor, F_PREALLOCATE, &request) }
        code = EOPNOTSUPP  // The blocks are reserved; the size is still to be set.
      } catch {
        code = error.code
      }
    #else
      var code = posix_fallocate(descriptor, start, count)
      while code == EINTR { code = posix_fallocate(descriptor, start, count) }
    #endif
    switch code {
    case 0: return true
    case EOPNOTSUPP, ENOTSUP, EINVAL, ENOSYS:
      // No reservation here: a hole of the right size is all there is.
      if try status(descriptor).st_size < start + count {
        try truncate(descriptor, to: start + count)
      }
      return false
    default: throw Failure(code: code)
    }
  }

  static func rename(
    _ source: String, to target: String, in directory: Int32
  ) throws(Failure) {
    _ = try repeating { renameat(directory, source, directory, target) }
  }

  static func remove(_ name: String, in directory: Int32) throws(Failure) {
    _ = try repeating { unlinkat(directory, name, 0) }
  }

  /// Takes the lock of an open directory, or fails at once.
  static func lock(_ descriptor: Int32, _ kind: LockKind) throws(Failure) {
    let operation = kind == .exclusive ? LOCK_EX : LOCK_SH
    _ = try repeating { flock(descriptor, operation | LOCK_NB) }
  }

  /// Returns after that time, or somewhat earlier when a signal comes.
  static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }

  /// Whether the open file or directory is the one that is at `path` now, links being followed.
  static func isFile(_ descriptor: Int32, at path: String) throws(Failure) -> Bool {
    var (mine, there) = (stat(), stat())
    _ = try repeating { fstat(descriptor, &mine) }
    do throws(Failure) { _ = try repeating { stat(path, &there) } } catch {
      // Nothing is there, also where what leads there is no directory, or a circle of links.
      guard [ENOENT, ENOTDIR, ELOOP].contains(error.code) else { throw error }
      return false
    }
    return mine.st_dev == there.st_dev && mine.st_ino == there.st_ino
  }

  static func unlock(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
  }

  static func map(_ descriptor: Int32, count: Int) throws(Failure) -> UnsafeRawBufferPointer {
    let address = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0)
    guard let address, address != MAP_FAILED else { throw Failure(code: errno) }
    return UnsafeRawBufferPointer(start: address, count: count)
  }

  #if os(Linux)
    /// Maps a part of a file for writing, with all its pages ready to be written: what could go
    /// wrong with the first store into one goes wrong here. `start` is a multiple of the page size.
    static func mapWritable(
      _ descriptor: Int32, from start: off_t, count: Int
    ) throws(Failure) -> UnsafeMutableRawBufferPointer {
      let address = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, start)
      guard let address, address != MAP_FAILED else { throw Failure(code: errno) }
      // MADV_POPULATE_WRITE, which older headers do not define, and older systems do not know.
      guard madvise(address, count, 23) == 0 else {
        let code = errno
        munmap(address, count)
        throw Failure(code: code)
      }
      return UnsafeMutableRawBufferPointer(start: address, count: count)
    }
  #endif

  /// Has this thread not stop another one when it wakes up; advice.
  static func letOthersRunOn() {
    #if os(Linux)
      // What the process was given by whoever began it stays.
      guard sched_getscheduler(0) == SCHED_OTHER else { return }
      var parameters = sched_param()
      // SCHED_BATCH, which headers define for C only; Musl does nothing here.
      _ = sched_setscheduler(0, 3, &parameters)
    #endif
  }

  static func unmap(_ bytes: UnsafeRawBufferPointer) {
    _ = munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }

  /// Takes the whole pages among mapped bytes out of the memory of this process; reading them
  /// brings them back. Advice: where it is not followed, they stay.
  @Sendable static func forget(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    let first = start.alignedUp(toMultipleOf: Int(getpagesize()))
    let end = start + bytes.count
    guard first < end else { return }
    _ = madvise(UnsafeMutableRawPointer(mutating: first), end - first, MADV_DONTNEED)
  }

  /// The names in a directory, `.` and `..` included, in the order of the system.
  static func names(in directory: Int32) throws(Failure) -> [String] {
    // A second handle: a stream moves the position of the handle it is made of, and closes it.
    let descriptor = try repeating {
      openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let stream = fdopendir(descriptor) else {
      let code = errno
      closeDescriptor(descriptor)
      throw Failure(code: code)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let found = readdir(stream) else {
        let code = errno
        if code != 0 { throw Failure(code: code) }
        return names
      }
      // The record may be shorter than its type, so the name is reached by address.
      guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { continue }
      let name = UnsafeRawPointer(found).advanced(by: offset).assumingMemoryBound(to: CChar.self)
      names.append(String(cString: name))
    }
  }

  /// How many files this process may have open; nothing where there is no limit.
  static func openFileLimit() -> UInt64? {
    // No system has a table of so many: the value stands for no limit.
    guard let limit = openFileLimits(), limit.rlim_cur < 1 << 40 else { return nil }
    return UInt64(limit.rlim_cur)
  }

  /// Lets this process have as many files open as it may allow itself.
  static func raiseOpenFileLimit() {
    guard var limit = openFileLimits() else { return }
    #if canImport(Darwin)
      // More is refused there, whatever the highest limit says.
      let highest = min(limit.rlim_max, rlim_t(OPEN_MAX))
    #else
      let highest = limit.rlim_max
    #endif
    guard limit.rlim_cur < highest else { return }
    limit.rlim_cur = highest
    _ = setrlimit(openFiles, &limit)
  }

  private static func openFileLimits() -> rlimit? {
    var limit = rlimit()
    return getrlimit(openFiles, &limit) == 0 ? limit : nil
  }

  #if canImport(Glibc)
    private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let openFiles = RLIMIT_NOFILE
  #endif

  /// The bytes that are free for this user on the file system of an open file or directory.
  static func freeByteCount(_ descriptor: Int32) throws(Failure) -> UInt64 {
    var status = statvfs()
    _ = try repeating { fstatvfs(descriptor, &status) }
    let (count, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize))
    return overflow ? UInt64.max : count
  }

  /// The identifier of this process; differs in the child of a fork.
  static func processIdentifier() -> Int32 { getpid() }

  static func secondsSince1970() -> UInt64 { UInt64(clamping: time(nil)) }

  /// How many processors the calling thread may run on.
  static func processorCount() -> Int {
    #if os(Linux)
      // Eight times as many as the C library knows of.
      var allowed = [UInt](repeating: 0, count: 8192 / UInt.bitWidth)
      if sched_getaffinity(0, UInt(MemoryLayout<UInt>.stride * allowed.count), &allowed) == 0 {
        return max(1, allowed.reduce(0) { $0 + $1.nonzeroBitCount })
      }
    #endif
    return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }

  enum Clock {
    case monotonic
    #if os(Linux)
      /// The same with a resolution of some milliseconds, for a fraction of the time.
      case monotonicCoarse
    #endif
    /// What processors have worked for the calling thread.
    case thread

    fileprivate var identifier: clockid_t {
      switch self {
      case .monotonic: CLOCK_MONOTONIC
      #if os(Linux)
        case .monotonicCoarse: CLOCK_MONOTONIC_COARSE
      #endif
      case .thread: CLOCK_THREAD_CPUTIME_ID
      }
    }
  }

  static func nanoseconds(of clock: Clock) -> UInt64 {
    var now = timespec()
    guard clock_gettime(clock.identifier, &now) == 0 else { return 0 }
    return UInt64(clamping: now.tv_sec) * 1_000_000_000 + UInt64(clamping: now.tv_nsec)
  }
}
