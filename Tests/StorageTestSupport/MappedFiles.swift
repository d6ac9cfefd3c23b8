#if os(Linux)
  import Glibc

  /// What this process maps of files.
  package enum MappedFiles {
    /// Whether a part of a file is mapped for writing whose path begins like this.
    package static func isWritable(below path: String) -> Bool {
      // Line by line: this file has no size, and each read gives a part of it.
      guard let maps = fopen("/proc/self/maps", "r") else { return false }
      defer { fclose(maps) }
      var line = [CChar](repeating: 0, count: 8192)
      while fgets(&line, Int32(line.count), maps) != nil {
        let text = String(
          decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if text.contains(" rw-s "), text.contains(" \(path)") { return true }
      }
      return false
    }
  }
#endif
