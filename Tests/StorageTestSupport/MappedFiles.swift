#if os(Linux)
  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// What this process maps of files.
  package enum MappedFiles {
    /// Whether a part of a file is mapped for writing whose path begins like this.
    package static func isWritable(below path: String) -> Bool {
      lines(of: "/proc/self/maps").contains { $0.contains(" rw-s ") && $0.contains(" \(path)") }
    }

    /// Whether series of appends must be mapped there: Linux 5.14, ext4 or memory.
    package static func areExpected(at path: String) -> Bool {
      var mounts: [[Substring]] = []
      for line in lines(of: "/proc/self/mounts") {
        let words = line.split(separator: " ")
        guard words.count > 2 else { continue }
        let folder = words[1] == "/" ? "/" : words[1] + "/"
        if (path + "/").hasPrefix(folder) { mounts.append(words) }
      }
      guard let mount = mounts.max(by: { $0[1].count < $1[1].count }),
        ["ext2", "ext3", "ext4", "tmpfs"].contains(mount[2]),
        let release = lines(of: "/proc/sys/kernel/osrelease").first
      else { return false }
      let numbers = release.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
      return numbers.count == 2 && (numbers[0], numbers[1]) >= (5, 14)
    }

    /// Line by line: such a file has no size, and each read gives a part of it.
    private static func lines(of path: String) -> [String] {
      guard let file = fopen(path, "r") else { return [] }
      defer { fclose(file) }
      var lines: [String] = []
      var line = [CChar](repeating: 0, count: 8192)
      while fgets(&line, Int32(line.count), file) != nil {
        lines.append(
          String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
      }
      return lines
    }
  }
#endif
