internal import Synchronization

/// How many files stay open for reading at a time, and which of them is closed for another.
///
/// Recency is counted in openings: a use costs one relaxed store, and uses between two openings
/// are not told apart, which matters little. Files that are being read stay open until the read is
/// done, so a few more may be open for moments. Safe on any thread.
package final class OpenFileBudget: Sendable {
  /// The descriptor of one file, for the time that it has one.
  final class Slot: Sendable {
    private let file = Lock<(any File)?>(nil)
    fileprivate let lastUse = Atomic<UInt64>(0)

    /// The open file, if there is one.
    fileprivate func use(at time: UInt64) -> (any File)? {
      file.withLock { file in
        lastUse.store(time, ordering: .relaxed)
        return file
      }
    }

    /// Keeps `opened`, unless another thread was faster; returns what is open now.
    fileprivate func install(_ opened: any File) -> (isNew: Bool, file: any File) {
      file.withLock { file in
        if let file { return (false, file) }
        file = opened
        return (true, opened)
      }
    }

    /// Lets the file go; whoever reads it keeps it open until the read is done.
    fileprivate func close() {
      // The system's call is made outside of the lock.
      _ = file.withLock { file in
        let old = file
        file = nil
        return old
      }
    }
  }

  /// How many files stay open.
  package let maximum: Int
  /// The slots that have a file, in no order; never locked together with a slot.
  private let open = Lock<[Slot]>([])
  private let openingCount = Atomic<UInt64>(0)
  /// Held while all is given back.
  private let closing = Monitor()

  /// - Precondition: `maximum` is at least 1.
  package init(maximum: Int) {
    precondition(maximum >= 1, "at least one file must be allowed to stay open")
    self.maximum = maximum
  }

  /// An eighth of what the process may open, at least 16 and at most 256.
  package static var maximumByDefault: Int {
    let limit = SystemCalls.openFileLimit() ?? 256
    return Int(min(max(limit / 8, 16), 256))
  }

  /// Lets this process have as many files open as it may allow itself: for programs whose process
  /// is theirs alone. What an app may open is the app's to say.
  package static func raiseLimit() { SystemCalls.raiseOpenFileLimit() }

  /// How many files are open now.
  package var count: Int { open.withLock { open in open.count } }

  /// Closes all files that nobody reads; returns when those are closed, too, that another thread
  /// gives back.
  package func giveBack() {
    closing.enter()
    defer { closing.leave() }
    let slots = open.withLock { open in
      let slots = open
      open = []
      return slots
    }
    for slot in slots { slot.close() }
  }

  /// Calls `body`, and once more after giving back what can be when too many files are open.
  package func retrying<Value>(
    _ body: () throws(FileIOError) -> Value
  ) throws(FileIOError) -> Value {
    do throws(FileIOError) {
      return try body()
    } catch {
      guard case .tooManyOpenFiles = error.reason else { throw error }
      giveBack()
      return try body()
    }
  }

  /// The file of `slot`, opened by `body` when it is not open.
  func file(
    of slot: Slot, opening body: () throws(FileIOError) -> any File
  ) throws(FileIOError) -> any File {
    let time = openingCount.load(ordering: .relaxed)
    if let file = slot.use(at: time) { return file }
    let installed = slot.install(try retrying(body))
    if installed.isNew { admit(slot) }
    return installed.file
  }

  /// Closes the file of `slot`.
  func close(_ slot: Slot) {
    open.withLock { open in open.removeAll { $0 === slot } }
    slot.close()
  }

  /// Counts a slot that has a file now, and closes what was used least recently beyond the maximum.
  private func admit(_ slot: Slot) {
    let time = openingCount.add(1, ordering: .relaxed).newValue
    slot.lastUse.store(time, ordering: .relaxed)
    let surplus = open.withLock { open in
      var surplus: [Slot] = []
      while open.count >= maximum, let oldest = Self.oldest(of: open) {
        surplus.append(open[oldest])
        open.swapAt(oldest, open.count - 1)
        open.removeLast()
      }
      open.append(slot)
      return surplus
    }
    for slot in surplus { slot.close() }
  }

  private static func oldest(of slots: [Slot]) -> Int? {
    slots.indices.min {
      slots[$0].lastUse.load(ordering: .relaxed) < slots[$1].lastUse.load(ordering: .relaxed)
    }
  }
}
