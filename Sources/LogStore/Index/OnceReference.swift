internal import Synchronization

/// A reference that is set once, and read from then on by any thread, without a lock.
///
/// Like the standard library's lazy reference, which is not compiled into its callers and costs a
/// look-up more than the rest of its work.
struct OnceReference<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
  /// The address of a retained object, or 0.
  private let address = Atomic<UInt>(0)

  deinit {
    let stored = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring))
    if let stored { Unmanaged<Instance>.fromOpaque(stored).release() }
  }

  /// Whether an object was stored.
  var isStored: Bool { address.load(ordering: .acquiring) != 0 }

  /// The object, when one was stored.
  @inline(__always)
  func load() -> Instance? {
    guard let stored = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else {
      return nil
    }
    return Unmanaged<Instance>.fromOpaque(stored).takeUnretainedValue()
  }

  /// Lends the object to `body` without counting a reference to it, which threads would fight for;
  /// nothing when none was stored.
  @inline(__always)
  func lend<Result>(_ body: (Instance) -> Result) -> Result? {
    guard let stored = UnsafeRawPointer(bitPattern: address.load(ordering: .acquiring)) else {
      return nil
    }
    return Unmanaged<Instance>.fromOpaque(stored)._withUnsafeGuaranteedRef(body)
  }

  /// Stores `instance` unless another came first; returns what is stored.
  func storeIfNil(_ instance: Instance) -> Instance {
    let mine = Unmanaged.passRetained(instance)
    let (exchanged, original) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: mine.toOpaque()),
      ordering: .acquiringAndReleasing)
    if exchanged { return instance }
    mine.release()
    guard let stored = UnsafeRawPointer(bitPattern: original) else {
      preconditionFailure("an exchange only fails when something is stored")
    }
    return Unmanaged<Instance>.fromOpaque(stored).takeUnretainedValue()
  }
}
