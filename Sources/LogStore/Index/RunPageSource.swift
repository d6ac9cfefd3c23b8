internal import FileIO

/// Where the bytes of an index run are: in memory or mapped, or to be read from a file.
struct RunPageSource: Sendable {
  private enum Place {
    case memory(MappedBytes, start: Int)
    case file(any File, start: UInt64)
  }

  private let place: Place
  let byteCount: Int

  /// A run that lies in `bytes` from `start` on.
  init(memory bytes: MappedBytes, start: Int, byteCount: Int) {
    precondition(start + byteCount <= bytes.bytes.count, "a run must lie within its bytes")
    place = .memory(bytes, start: start)
    self.byteCount = byteCount
  }

  /// A run that is read from `file`.
  init(file: any File, start: UInt64, byteCount: Int) {
    place = .file(file, start: start)
    self.byteCount = byteCount
  }

  /// Whether the same bytes come back each time, so that one check of them is enough.
  var isStable: Bool {
    switch place {
    case .memory: true
    case .file: false
    }
  }

  /// All bytes, when they are in memory; valid as long as this value.
  var memory: UnsafeRawBufferPointer? {
    guard case .memory(let bytes, let start) = place else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<(start + byteCount)])
  }

  /// What the bytes lie in, when they are in memory.
  var mapping: MappedBytes? {
    guard case .memory(let bytes, _) = place else { return nil }
    return bytes
  }

  /// Gives back the memory of a mapped run until it is read again.
  func forgetPages() {
    if case .memory(let bytes, let start) = place {
      bytes.forgetPages(in: start..<(start + byteCount))
    }
  }

  /// The bytes in `range`, counted from the start of the run.
  func bytes(_ range: Range<Int>) throws(RunDamage) -> MappedRunBytes {
    guard range.upperBound <= byteCount else {
      throw .damaged("the run ends too early")
    }
    switch place {
    case .memory(let bytes, let start):
      return MappedRunBytes(bytes, (start + range.lowerBound)..<(start + range.upperBound))
    case .file(let file, let start):
      let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(range.count, 1), alignment: 8)
      let target = UnsafeMutableRawBufferPointer(start: memory.baseAddress, count: range.count)
      let owned = MappedBytes(UnsafeRawBufferPointer(target)) { $0.deallocate() }
      let count: Int
      do throws(FileIOError) {
        count = try file.read(into: target, at: start + UInt64(range.lowerBound))
      } catch {
        // Opened again by its name, after others needed the descriptor: it can be done without.
        if error.reason == .notFound { throw .damaged("the file has gone") }
        throw .fileIO(error)
      }
      guard count == range.count else { throw .damaged("the file ends too early") }
      return MappedRunBytes(owned, 0..<range.count)
    }
  }
}
