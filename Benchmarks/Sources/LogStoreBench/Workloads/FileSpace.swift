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
}
