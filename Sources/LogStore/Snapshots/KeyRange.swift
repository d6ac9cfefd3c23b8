/// The keys of a collection between two bounds, in the order of their bytes.
///
/// A range whose upper bound lies below its lower one is empty, not an error.
public struct KeyRange: Sendable, Hashable {
  /// Where a range begins or ends.
  public enum Bound: Sendable, Hashable {
    /// At the first or last key there is.
    case unbounded
    /// With this key.
    case including([UInt8])
    /// Next to this key, which is not in the range.
    case excluding([UInt8])
  }

  /// The smallest bytes in the range; empty when there is no bound.
  let lower: [UInt8]
  /// The smallest bytes behind the range; nothing when there is no bound.
  let upper: [UInt8]?

  /// All keys.
  public static let all = KeyRange()

  /// The keys between two bounds.
  public init(from lower: Bound = .unbounded, to upper: Bound = .unbounded) {
    // Nothing sorts between a key and the same key with a zero byte added.
    switch lower {
    case .unbounded: self.lower = []
    case .including(let key): self.lower = key
    case .excluding(let key): self.lower = key.isEmpty ? [] : key + [0]
    }
    switch upper {
    case .unbounded: self.upper = nil
    case .including(let key): self.upper = key.isEmpty ? [] : key + [0]
    case .excluding(let key): self.upper = key
    }
  }

  /// The keys that start with `bytes`.
  public init(prefix bytes: [UInt8]) {
    lower = bytes
    // The next bytes of the same length or less: those that are all ones have none.
    var next = bytes
    while next.last == .max { next.removeLast() }
    guard let last = next.popLast() else {
      upper = nil
      return
    }
    upper = next + [last + 1]
  }

  /// The keys that start with `bytes`.
  public static func prefix(_ bytes: [UInt8]) -> KeyRange { KeyRange(prefix: bytes) }

  /// Whether `key` is in the range.
  public func contains(_ key: [UInt8]) -> Bool {
    !key.lexicographicallyPrecedes(lower)
      && (upper.map { key.lexicographicallyPrecedes($0) } ?? true)
  }
}
