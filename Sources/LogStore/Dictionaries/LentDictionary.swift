internal import Synchronization

/// A dictionary lent to decompress payloads; valid as long as the ``CompressionDictionary``.
///
/// LZ4 copies a match in a dictionary with a few instructions where the payload is written right
/// behind the dictionary, and with a call to copy memory anywhere else, which takes twice as long
/// for a payload of a few hundred bytes. So there are windows: copies of the dictionary with room
/// behind them. A window has one user at a time. Who finds none free decompresses without one.
/// Safe on any thread.
struct LentDictionary: @unchecked Sendable {
  // Sendable: the bytes never change, and windows are taken and given back by exchange.

  /// What payloads were compressed against.
  let bytes: UnsafeRawBufferPointer
  private let windows: UnsafeMutablePointer<Atomic<UInt>>?

  /// No dictionary.
  static var empty: LentDictionary {
    LentDictionary(bytes: UnsafeRawBufferPointer(start: nil, count: 0), windows: nil)
  }

  /// Payloads above this many bytes are decompressed elsewhere: most of their matches lie in
  /// themselves.
  static let roomByteCount = 16 << 10
  /// LZ4 is quicker as long as it need not look for the end of the room.
  private static let slackByteCount = 64
  /// The longest cache line there is; ARM has such.
  private static let alignment = 128

  /// Once threads have met at a window, they are spread over this many, and each tries two.
  static let windowCount = 8
  /// One cache line for each.
  private static let stride = alignment / MemoryLayout<Atomic<UInt>>.stride

  // Values of a window beside its room's address.
  private static let isMissing: UInt = 0
  private static let isTaken: UInt = 1

  // MARK: Making

  /// Copies `bytes`; it must be deallocated.
  static func allocate(_ bytes: UnsafeRawBufferPointer) -> LentDictionary {
    if bytes.isEmpty { return .empty }
    let room = makeWindow(bytes)
    let windows = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: (windowCount + 1) * stride)
    for word in 0..<(windowCount + 1) * stride {
      (windows + word).initialize(to: Atomic(isMissing))
    }
    windows[stride].store(UInt(bitPattern: room), ordering: .releasing)
    return LentDictionary(
      bytes: UnsafeRawBufferPointer(start: room - bytes.count, count: bytes.count),
      windows: windows)
  }

  /// Nobody may use it any more.
  func deallocate() {
    guard let windows else { return }
    for window in 1...Self.windowCount {
      let address = windows[window * Self.stride].load(ordering: .acquiring)
      precondition(address != Self.isTaken, "a dictionary must not be in use when it goes away")
      if let room = UnsafeMutableRawPointer(bitPattern: address) {
        (room - Self.padded(bytes.count)).deallocate()
      }
    }
    windows.deinitialize(count: (Self.windowCount + 1) * Self.stride)
    windows.deallocate()
  }

  /// The room behind a copy of `bytes`; it begins a cache line.
  private static func makeWindow(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    let room =
      UnsafeMutableRawPointer.allocate(
        byteCount: padded(bytes.count) + roomByteCount + slackByteCount, alignment: alignment)
      + padded(bytes.count)
    if let source = bytes.baseAddress {
      (room - bytes.count).copyMemory(from: source, byteCount: bytes.count)
    }
    return room
  }

  private static func padded(_ byteCount: Int) -> Int {
    (byteCount + alignment - 1) / alignment * alignment
  }

  // MARK: Decompressing

  /// Decompresses `stored`, which may be anything, into `target`; whether it fills it exactly.
  func decompress(
    _ stored: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard target.count <= Self.roomByteCount,
      let isWhole = withRoom({ (room) -> Bool in
        let space = UnsafeMutableRawBufferPointer(
          start: room, count: target.count + Self.slackByteCount)
        let window = UnsafeRawBufferPointer(start: room - bytes.count, count: bytes.count)
        guard
          RecordCompression.decompress(stored, to: space, against: window) == target.count
        else { return false }
        target.baseAddress?.copyMemory(from: room, byteCount: target.count)
        return true
      })
    else { return decompressWithoutWindow(stored, to: target) }
    return isWhole
  }

  /// The same for payloads of any size, and the oracle of it.
  func decompressWithoutWindow(
    _ stored: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    if RecordCompression.decompress(stored, to: target, against: bytes) == target.count {
      return true
    }
    // LZ4 begins no match in the last twelve bytes, and looks where the room ends. Whether a block
    // is right must not depend on who found a window.
    let room = UnsafeMutableRawBufferPointer.allocate(
      byteCount: target.count + Self.slackByteCount, alignment: Self.alignment)
    defer { room.deallocate() }
    guard RecordCompression.decompress(stored, to: room, against: bytes) == target.count else {
      return false
    }
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[..<target.count]))
    return true
  }

  // MARK: Windows

  /// Lends the room behind a copy of the dictionary to `body`; nothing when no window is free.
  @inline(__always)
  func withRoom<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result? {
    guard let windows, let (window, room) = takeWindow(windows) else { return nil }
    defer { window.pointee.store(UInt(bitPattern: room), ordering: .releasing) }
    return body(room)
  }

  /// A window that nobody uses, with its room, until the address is stored again.
  @inline(__always)
  private func takeWindow(
    _ windows: UnsafeMutablePointer<Atomic<UInt>>
  ) -> (UnsafeMutablePointer<Atomic<UInt>>, UnsafeMutableRawPointer)? {
    // The first word says whether threads have met. Until then all use one window, so that what
    // one thread reads keeps one copy of the dictionary in its cache.
    let isShared = windows[0].load(ordering: .relaxed) != 0
    let first = isShared ? Self.windowOfThisThread : 0
    for attempt in 0..<2 {
      let window = windows + ((first + attempt) % Self.windowCount + 1) * Self.stride
      // Looked at first: an exchange takes the cache line from who has the window.
      if window.pointee.load(ordering: .relaxed) != Self.isTaken {
        switch window.pointee.exchange(Self.isTaken, ordering: .acquiring) {
        case Self.isTaken: break
        case Self.isMissing: return (window, Self.makeWindow(bytes))
        case let address: return UnsafeMutableRawPointer(bitPattern: address).map { (window, $0) }
        }
      }
      if !isShared { windows[0].store(1, ordering: .relaxed) }
    }
    return nil
  }

  /// A number below the number of windows that mostly differs from that of other threads, and is
  /// the same for a thread each time: a hash of where its stack lies.
  private static var windowOfThisThread: Int {
    withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { stack in
      let place = UInt64(UInt(bitPattern: stack.baseAddress)) >> 19
      return Int(truncatingIfNeeded: (place &* 0x9E37_79B9_7F4A_7C15) >> 61)
    }
  }
}
