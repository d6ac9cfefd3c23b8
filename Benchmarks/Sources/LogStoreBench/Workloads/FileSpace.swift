import Foundation

/// What files take on the disk.
enum FileSpace {
  /// Bytes of all blocks that the files below a directory hold; holes in them are not counted.
  ///
  /// Asks the system directly: who looks every few milliseconds must not take the time of what is
  /// measured.
  static func allocatedByteCount(below path: String) throws -> Int {
    guard let folder = opendir(path) else {
      throw BenchmarkError("\(path) cannot be listed: \(String(cString: strerror(errno)))")
    }
    defer { closedir(folder) }
    var sum = 0
    while let item = readdir(folder) {
      var status = stat()
      let found = withUnsafePointer(to: &item.pointee.d_name.0) { name -> String? in
        // A file may be removed meanwhile.
        guard fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFDIR ? String(cString: name) : ""
      }
      switch found {
      case nil, ".", "..": continue
      case "": sum += Int(status.st_blocks) * 512
      case let name?: sum += try allocatedByteCount(below: "\(path)/\(name)")
      }
    }
    return sum
  }

  /// Makes a file or a directory durable.
  static func synchronize(_ path: String) throws {
    let file = open(path, O_RDONLY)
    guard file >= 0, fsync(file) == 0 else {
      throw BenchmarkError("\(path) was not synchronized: \(String(cString: strerror(errno)))")
    }
    close(file)
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
