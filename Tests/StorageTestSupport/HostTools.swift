internal import Foundation

#if canImport(Darwin)
  package import Darwin
#else
  package import Glibc
#endif

/// What the machine that runs the tests can do, and programs of it.
package enum HostTools {
  package static var isLinux: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// Whether `flock`, of util-linux, can hold a lock for us.
  package static let canHoldLocks = path(of: "flock") != nil

  /// Whether we may mount a file system where nobody else sees it.
  package static let canMountPrivately: Bool = {
    guard getuid() == 0, let unshare = path(of: "unshare") else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: unshare)
    process.arguments = ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  package static func path(of tool: String) -> String? {
    ["/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"].map { $0 + tool }
      .first { access($0, X_OK) == 0 }
  }

  package static func limitOpenFiles(_ limit: inout rlimit) -> Bool {
    #if os(Linux)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    #else
      setrlimit(RLIMIT_NOFILE, &limit) == 0
    #endif
  }

  package static func limitFileSize(_ limit: inout rlimit) -> Bool {
    #if os(Linux)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
    #else
      setrlimit(RLIMIT_FSIZE, &limit) == 0
    #endif
  }
}
