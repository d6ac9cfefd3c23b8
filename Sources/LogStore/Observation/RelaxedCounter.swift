internal import Synchronization

/// A number that threads add to without waiting for each other; reads may lag behind.
struct RelaxedCounter: ~Copyable {
  private let value = Atomic<UInt64>(0)

  func add(_ amount: Int) { value.wrappingAdd(UInt64(amount), ordering: .relaxed) }

  func add(_ amount: UInt64) { value.wrappingAdd(amount, ordering: .relaxed) }

  /// The same where nobody else adds at the same time: costs a fraction.
  func addAlone(_ amount: Int) {
    value.store(value.load(ordering: .relaxed) &+ UInt64(amount), ordering: .relaxed)
  }

  var current: UInt64 { value.load(ordering: .relaxed) }
}
