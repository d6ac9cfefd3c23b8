extension Array where Element == UInt8 {
  /// Calls `body` with the bytes, and passes its error on with its type.
  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { (buffer: UnsafeBufferPointer<UInt8>) throws(Failure) in
      try body(UnsafeRawBufferPointer(buffer))
    }
  }

  /// Calls `body` with the bytes for changing, and passes its error on with its type.
  @inlinable
  public mutating func withMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeMutableBufferPointer {
      (buffer: inout UnsafeMutableBufferPointer<UInt8>) throws(Failure) in
      try body(UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
