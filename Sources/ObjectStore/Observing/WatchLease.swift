/// Keeps a watch among those that are told, as long as somebody has it.
final class WatchLease: Sendable {
  let watch: ChangeWatch
  private let end: @Sendable () -> Void

  init(_ watch: ChangeWatch, end: @escaping @Sendable () -> Void) {
    self.watch = watch
    self.end = end
  }

  deinit { end() }
}
