/// A stream of changes that a policy is tried on; every record has the same size.
public enum PolicyWorkload: String, Sendable, CaseIterable {
  /// Every key is as likely to be overwritten as any other.
  case uniform
  /// Nine of ten writes go to one of ten keys.
  case skewed
  /// New keys only: nothing ever dies.
  case appendOnly = "append-only"
  /// New keys and deletions of any other take turns.
  case deleteHeavy = "delete-heavy"
}

/// One change of a workload.
enum PolicyChange {
  case put(Int)
  case delete(Int)
}

/// The changes of a workload, one by one; the same for the same seed.
struct PolicyChanges {
  private let workload: PolicyWorkload
  private let keyCount: Int
  private var random: Numbers
  private var nextKey: Int
  /// The keys that are there, for workloads that delete.
  private var keys: [Int] = []
  private var deletesNext = false

  init(_ workload: PolicyWorkload, keyCount: Int, seed: UInt64) {
    self.workload = workload
    self.keyCount = keyCount
    random = Numbers(state: seed)
    nextKey = keyCount
    if workload == .deleteHeavy { keys = Array(0..<keyCount) }
  }

  mutating func next() -> PolicyChange {
    switch workload {
    case .uniform: return .put(random.below(keyCount))
    case .skewed:
      let hotCount = max(1, keyCount / 10)
      return random.below(10) < 9
        ? .put(random.below(hotCount)) : .put(hotCount + random.below(keyCount - hotCount))
    case .appendOnly: return .put(newKey())
    case .deleteHeavy:
      deletesNext.toggle()
      guard deletesNext else {
        let key = newKey()
        keys.append(key)
        return .put(key)
      }
      let place = random.below(keys.count)
      keys.swapAt(place, keys.count - 1)
      return .delete(keys.removeLast())
    }
  }

  private mutating func newKey() -> Int {
    defer { nextKey += 1 }
    return nextKey
  }
}

/// SplitMix64, so that a seed gives the same changes on every machine.
struct Numbers {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Int(((mixed >> 32) &* UInt64(bound)) >> 32)
  }
}
