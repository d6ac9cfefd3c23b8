#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Finds out which process holds the lock of a directory, without anything written to disk.
package enum LockHolder {
  /// Whether the process with that identifier is this one.
  package static func isThisProcess(_ identifier: Int32) -> Bool {
    identifier == SystemCalls.processIdentifier()
  }

  /// The table of locks is read up to this size, so that a machine full of locks costs no memory.
  private static let tableByteCountLimit = 1 << 20

  /// The process that holds the lock of the open directory; nil when the system does not tell.
  static func processIdentifier(ofDirectory descriptor: Int32) -> Int32? {
    #if os(Linux)
      guard let status = try? SystemCalls.status(descriptor), let table = lockTable() else {
        return nil
      }
      let device = UInt64(status.st_dev)
      return processIdentifier(
        in: table,
        // Device numbers since Linux 2.6: 12 bits of major in two parts, minor around them.
        major: ((device >> 8) & 0xFFF) | ((device >> 32) & ~0xFFF),
        minor: (device & 0xFF) | ((device >> 12) & ~0xFF),
        inode: UInt64(status.st_ino))
    #else
      return nil
    #endif
  }

  /// Looks for a `flock` of the file in the text of `/proc/locks` (man page proc_locks).
  ///
  /// A line looks like `1: FLOCK  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF`: device numbers in
  /// hexadecimal, inode in decimal. Waiting processes have an arrow after the colon.
  static func processIdentifier(
    in table: String, major: UInt64, minor: UInt64, inode: UInt64
  ) -> Int32? {
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count >= 6, fields[1] == "FLOCK" else { continue }
      let place = fields[5].split(separator: ":")
      guard place.count == 3, UInt64(place[0], radix: 16) == major,
        UInt64(place[1], radix: 16) == minor, UInt64(place[2]) == inode
      else { continue }
      // Processes of other containers are shown as 0 or -1.
      if let process = Int32(fields[4]), process > 0 { return process }
    }
    return nil
  }

  private static func lockTable() -> String? {
    guard let descriptor = try? SystemCalls.openSystemFile("/proc/locks") else { return nil }
    defer { SystemCalls.closeDescriptor(descriptor) }
    var table: [UInt8] = []
    var page = [UInt8](repeating: 0, count: 4096)
    while table.count < tableByteCountLimit {
      let position = off_t(table.count)
      let count = page.withUnsafeMutableBytes { page in
        (try? SystemCalls.read(descriptor, into: page, at: position)) ?? 0
      }
      if count == 0 { break }
      table += page[..<count]
    }
    return String(decoding: table, as: UTF8.self)
  }
}
