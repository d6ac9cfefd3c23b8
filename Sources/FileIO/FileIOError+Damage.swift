#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension FileIOError {
  /// Whether what was to be read is at fault, as a bad sector is: other places may be read still.
  ///
  /// False for what this process lacks, such as rights, memory or descriptors, and for what others
  /// do: then nothing is known of the bytes.
  package var tellsOfDamage: Bool {
    switch reason {
    case .ioError: true
    case .other(let code): Self.damageCodes.contains(code)
    case .notFound, .alreadyExists, .permissionDenied, .noSpace, .locked, .readOnlyFileSystem,
      .tooManyOpenFiles, .brokenPipe, .notPlainFile, .notDirectory, .moved:
      false
    }
  }

  /// Whether, when synchronizing a directory or a file that is only read, it says that there is
  /// nothing to be synchronized: file systems without writing, such as those of optical disks and
  /// compressed images, know no synchronizing.
  ///
  /// Being read-only is no such answer on Linux: ext4 gives it once it has stopped writing after an
  /// error (`ext4_sync_file`), and then what is in memory may never reach the disk. Darwin's HFS
  /// gives it for a volume that was mounted so.
  package var tellsOfNothingToSynchronize: Bool {
    #if canImport(Darwin)
      if reason == .readOnlyFileSystem { return true }
    #endif
    return reason == .other(code: EINVAL)
  }

  /// What file systems say that found their own checksums or structures wrong.
  private static var damageCodes: [Int32] {
    #if os(Linux)
      [EBADMSG, EUCLEAN]
    #else
      [EBADMSG]
    #endif
  }
}
