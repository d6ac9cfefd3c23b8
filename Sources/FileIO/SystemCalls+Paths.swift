#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

extension SystemCalls {
  /// The path, behind the directory in which the process works now where it is relative; nothing
  /// where that has none.
  static func absolutePath(of path: String) -> String? {
    if path.hasPrefix("/") { return path }
    guard let directory = getcwd(nil, 0) else { return nil }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
  }
}
