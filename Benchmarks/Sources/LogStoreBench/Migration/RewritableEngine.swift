/// An engine of bytes in which an application rewrites all values itself.
protocol RewritableEngine: Engine {
  /// Replaces every value by what `transform` writes into the buffer, of which it returns how many
  /// bytes; durable on return. Values tell their shape: those that `transform` returns nothing for
  /// are in the new one already, and stay.
  func rewriteAll(
    _ transform: (_ old: UnsafeRawBufferPointer, _ new: UnsafeMutableRawBufferPointer) -> Int?
  ) throws
}
