/// Which of the pending changes reach the disk when the power fails; one bit for each.
package struct SurvivorSet: Hashable, Sendable, CustomStringConvertible {
  /// How many changes there are to choose from.
  package let count: Int
  private var words: [UInt64]

  /// None, or all, of `count` changes.
  package init(count: Int, all: Bool = false) {
    self.count = count
    words = Array(repeating: 0, count: (count + 63) / 64)
    if all {
      for index in 0..<count { self[index] = true }
    }
  }

  /// At most 64 changes by the bits of `pattern`, the lowest first.
  package init(count: Int, pattern: UInt64) {
    precondition(count <= 64, "a pattern has 64 bits")
    self.count = count
    words = count == 0 ? [] : [count == 64 ? pattern : pattern & ((1 << UInt64(count)) - 1)]
  }

  package subscript(index: Int) -> Bool {
    get { words[index / 64] >> UInt64(index % 64) & 1 == 1 }
    set {
      let bit = UInt64(1) << UInt64(index % 64)
      if newValue { words[index / 64] |= bit } else { words[index / 64] &= ~bit }
    }
  }

  package var description: String {
    String((0..<count).map { self[$0] ? "1" : "0" })
  }
}
