import Foundation

/// A directory that is removed when nobody holds it any more.
final class TemporaryDirectory: Sendable {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "logstore-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(at: url) } catch { print("left behind: \(url.path())") }
  }

  func path(of name: String) -> String { url.appending(path: name).path(percentEncoded: false) }
}
