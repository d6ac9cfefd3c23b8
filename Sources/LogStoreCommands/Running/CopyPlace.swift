internal import Foundation

/// Where a command puts a copy of a store.
enum CopyPlace {
  /// Refuses a copy in the place of what is copied, or within it; `source` is what the message
  /// calls that.
  static func check(_ out: String, outside store: String, _ source: String) throws {
    let inside = URL(fileURLWithPath: store).resolvingSymlinksInPath().pathComponents
    // It need not be there yet, but what leads to it may be a link.
    let target = URL(fileURLWithPath: out).standardizedFileURL
    let place =
      target.deletingLastPathComponent().resolvingSymlinksInPath().pathComponents
      + [target.lastPathComponent]
    if place == inside || target.resolvingSymlinksInPath().pathComponents == inside {
      throw CommandError.usage(
        "\(out) is \(source) itself, which is not changed; give another directory")
    }
    if place.starts(with: inside) {
      throw CommandError.usage(
        "\(out) lies in \(source), which is not changed; give a directory outside of it")
    }
  }
}
