import Dispatch
import FileIO

/// A file that takes until `mayGo` to be closed, and says with `isGoing` that it is being closed.
final class SlowFile: File {
  private let base: any File
  private let isGoing: DispatchSemaphore
  private let mayGo: DispatchSemaphore
  private let hasGone: Lock<Bool>

  init(
    _ base: any File, isGoing: DispatchSemaphore, mayGo: DispatchSemaphore, hasGone: Lock<Bool>
  ) {
    self.base = base
    self.isGoing = isGoing
    self.mayGo = mayGo
    self.hasGone = hasGone
  }

  deinit {
    isGoing.signal()
    mayGo.wait()
    hasGone.withLock { hasGone in hasGone = true }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    try base.read(into: buffer, at: offset)
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError) {
    try base.write(parts, at: offset)
  }

  func synchronize() throws(FileIOError) { try base.synchronize() }
  func truncate(to size: UInt64) throws(FileIOError) { try base.truncate(to: size) }
  func allocate(_ range: Range<UInt64>) throws(FileIOError) { try base.allocate(range) }
  func size() throws(FileIOError) -> UInt64 { try base.size() }
  func map(count: Int) throws(FileIOError) -> MappedBytes { try base.map(count: count) }
}
