import Foundation

/// What files take on the disk.
enum FileSpace {
  /// Bytes of all blocks that the files below a directory hold; holes in them are not counted.
  static func allocatedByteCount(below path: String) throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: path).reduce(0) { sum, name in
      var status = stat()
      // A file may be removed meanwhile.
      return lstat("\(path)/\(name)", &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
    }
  }

  /// Reads all files below a directory once, so that the system has them in memory.
  static func readAll(below path: String) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let file = open("\(path)/\(name)", O_RDONLY)
      guard file >= 0 else { continue }
      defer { close(file) }
      while buffer.withUnsafeMutableBytes({ read(file, $0.baseAddress, $0.count) }) > 0 {}
    }
  }
}
