import Foundation

/// What a run took place on; figures without it mean nothing.
enum Machine {
  /// One line for each fact.
  static func description(folder: String) -> [String] {
    var names = utsname()
    uname(&names)
    func text<Characters>(_ characters: Characters) -> String {
      withUnsafeBytes(of: characters) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
    }
    let memory = Double(ProcessInfo.processInfo.physicalMemory) / Double(1 << 30)
    return [
      "\(text(names.sysname)) \(text(names.release)) \(text(names.machine)), "
        + "\(ProcessInfo.processInfo.processorCount) × \(processor ?? "unknown processor"), "
        + "\(Int(memory.rounded())) GiB",
      fileSystemLine(of: folder),
      "load of the machine before the run: \(load)",
    ]
  }

  private static var processor: String? {
    let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  private static var load: String {
    var averages = [0.0, 0, 0]
    getloadavg(&averages, 3)
    return averages.map { String(format: "%.1f", $0) }.joined(separator: " ")
  }

  private static func fileSystemLine(of folder: String) -> String {
    let type = fileSystem(of: folder) ?? "unknown"
    let warning = type == "tmpfs" ? ": it is memory, so that durable writes cost nothing" : ""
    return "file system: \(type)\(warning)"
  }

  /// The type of the mounted file system with the longest path above the folder.
  private static func fileSystem(of folder: String) -> String? {
    guard let mounts = try? String(contentsOfFile: "/proc/mounts", encoding: .utf8) else {
      return nil
    }
    let path = URL(filePath: folder).resolvingSymlinksInPath().path(percentEncoded: false) + "/"
    var mountPoint = ""
    var type: String?
    for mount in mounts.split(separator: "\n") {
      let parts = mount.split(separator: " ").map(String.init)
      guard parts.count > 2, parts[1].count >= mountPoint.count else { continue }
      let start = parts[1] == "/" ? "/" : parts[1] + "/"
      if path.hasPrefix(start) { (mountPoint, type) = (parts[1], parts[2]) }
    }
    return type
  }
}
