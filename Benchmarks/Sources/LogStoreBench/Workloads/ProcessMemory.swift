import Foundation

/// What this process holds in memory.
enum ProcessMemory {
  /// Resident bytes that are not pages of files; nothing where the system does not say.
  ///
  /// Cheap, for it is asked every few milliseconds while something is measured.
  static var anonymousByteCount: Int? {
    let file = open("/proc/self/status", O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // The whole text has some 1,500 bytes.
    return withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { buffer in
      let count = read(file, buffer.baseAddress, buffer.count)
      let text = buffer.prefix(max(count, 0))
      let name = "RssAnon:".utf8
      let lines = text.split(separator: UInt8(ascii: "\n"))
      guard let line = lines.first(where: { $0.starts(with: name) }) else { return nil }
      let digits = line.dropFirst(name.count).filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      // The system counts in units of 1024 bytes.
      return Int(String(decoding: digits, as: UTF8.self)).map { $0 << 10 }
    }
  }
}
