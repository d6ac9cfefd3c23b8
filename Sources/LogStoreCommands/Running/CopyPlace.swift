internal import Foundation

/// Where a command puts a copy of a store, or a page about it.
enum CopyPlace {
  /// Refuses a place that is that of the store, or within it; messages call the store `source`, and
  /// what is put there `kind`.
  static func check(
    _ out: String, outside store: String, _ source: String, kind: String = "directory"
  ) throws {
    let inside = URL(fileURLWithPath: store).resolvingSymlinksInPath().pathComponents
    // It need not be there yet, but what leads to it may be a link.
    let target = URL(fileURLWithPath: out).standardizedFileURL
    let places = [
      target.deletingLastPathComponent().resolvingSymlinksInPath().pathComponents
        + [target.lastPathComponent], target.resolvingSymlinksInPath().pathComponents,
    ]
    if places.contains(inside) {
      throw CommandError.usage(
        "\(out) is \(source) itself, which is not changed; give another \(kind)")
    }
    if places.contains(where: { $0.starts(with: inside) }) {
      throw CommandError.usage(
        "\(out) lies in \(source), which is not changed; give a \(kind) outside of it")
    }
  }
}
