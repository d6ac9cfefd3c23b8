internal import Foundation

/// A directory of its own on the real disk, removed with all its contents with the object.
package final class TemporaryDirectory: Sendable {
  /// The absolute path; the directory exists and is empty at first.
  package let path: String

  package init() throws {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    path = "\(parent)/logstore-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
