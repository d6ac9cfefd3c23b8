/// An engine of bytes in which an application rewrites all values itself.
protocol RewritableEngine: Engine {
  /// Replaces every value by what `transform` makes of it; durable on return.
  func rewriteAll(_ transform: (UnsafeRawBufferPointer, inout [UInt8]) -> Void) throws
}
