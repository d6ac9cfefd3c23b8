extension Array where Element == UInt8 {
  /// The bytes that `body` writes to memory of `capacity` bytes; it returns how many.
  ///
  /// The same as `init(unsafeUninitializedCapacity:initializingWith:)`, which looks up the type of
  /// its memory at every call, some 400 instructions: few bytes are written to the stack and copied
  /// from there in less.
  @inline(__always)
  public init(capacity: Int, writtenBy body: (UnsafeMutableRawBufferPointer) -> Int) {
    if capacity <= 1024 {
      self = withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) { target in
        let count = body(target)
        return [UInt8](UnsafeRawBufferPointer(rebasing: target[..<count]))
      }
    } else {
      self.init(unsafeUninitializedCapacity: capacity) { target, count in
        let target = UnsafeMutableRawBufferPointer(target)
        count = body(UnsafeMutableRawBufferPointer(rebasing: target[..<capacity]))
      }
    }
  }

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
