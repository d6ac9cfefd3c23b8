import Foundation

/// What this process holds in memory.
enum ProcessMemory {
  /// Resident bytes that are not pages of files; nothing where the system does not say.
  static var anonymousByteCount: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else {
      return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
  }
}
