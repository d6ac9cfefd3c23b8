import Testing

@testable import LogStore

@Suite struct KeyRangeTests {
  /// All keys of up to three bytes out of four values, and the empty one.
  static let keys: [[UInt8]] = {
    let bytes: [UInt8] = [0, 1, 254, 255]
    var keys: [[UInt8]] = [[]]
    for length in 0..<3 {
      keys += keys.filter { $0.count == length }.flatMap { key in bytes.map { key + [$0] } }
    }
    return keys
  }()

  @Test("A range holds the keys between its bounds and no other")
  func boundsMeanWhatTheySay() {
    for bound in Self.keys {
      let wrong = Self.keys.dropFirst().filter { key in
        let isBelow = key.lexicographicallyPrecedes(bound)
        let isAbove = bound.lexicographicallyPrecedes(key)
        return KeyRange(from: .including(bound)).contains(key) != !isBelow
          || KeyRange(from: .excluding(bound)).contains(key) != isAbove
          || KeyRange(to: .including(bound)).contains(key) != !isAbove
          || KeyRange(to: .excluding(bound)).contains(key) != isBelow
      }
      #expect(wrong.isEmpty, "bound \(bound)")
    }
  }

  @Test("A prefix holds the keys that start with it and no other")
  func prefixesMeanWhatTheySay() {
    for prefix in Self.keys {
      let wrong = Self.keys.filter {
        KeyRange.prefix(prefix).contains($0) != $0.starts(with: prefix)
      }
      #expect(wrong.isEmpty, "prefix \(prefix)")
    }
  }
}
