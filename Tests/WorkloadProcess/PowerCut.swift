import Foundation
import StorageTestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// Shuts a mounted file system down at once, as a loss of power does to those who use it.
enum PowerCut {
  /// What of the file system's journal still reaches the disk.
  enum Flush: UInt32 {
    /// Everything: as if power went after all was written.
    case everything = 0
    /// The journal, but no data that was not synchronized.
    case journal = 1
    /// Nothing.
    case nothing = 2
  }

  /// The request that XFS, ext4 and F2FS share: `_IOR('X', 125, __u32)`.
  private static let request: UInt = 2 << 30 | 4 << 16 | 0x58 << 8 | 125

  static func run(path: String, flush: Flush) throws {
    #if canImport(Glibc)
      let descriptor = open(path, O_RDONLY | O_DIRECTORY)
      guard descriptor >= 0 else { throw CaseFailure("open \(path): \(errno)") }
      defer { close(descriptor) }
      var flags = flush.rawValue
      guard ioctl(descriptor, request, &flags) == 0 else {
        throw CaseFailure("\(path) cannot be shut down: error \(errno)")
      }
    #else
      throw CaseFailure("file systems can be shut down on Linux only")
    #endif
  }
}
