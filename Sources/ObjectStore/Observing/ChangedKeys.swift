/// Keys of objects of one type that changed, as long as they are few.
///
/// Beyond ``countMaximum`` keys or ``byteCountMaximum`` bytes it only says that any object may have
/// changed, so that its memory is bounded whatever is written.
struct ChangedKeys: Sendable {
  static let countMaximum = 1 << 16
  static let byteCountMaximum = 4 << 20

  /// Encoded keys; nothing where any object may have changed.
  private(set) var keys: Set<[UInt8]>? = []
  private var byteCount = 0
  private let keepsKeys: Bool

  /// Nothing changed yet. Without `keepsKeys` the first change says that any object may have.
  init(keepsKeys: Bool = true) { self.keepsKeys = keepsKeys }

  /// Any object may have changed.
  static var any: ChangedKeys {
    var changed = ChangedKeys()
    changed.keys = nil
    return changed
  }

  /// Whether any object may have changed, whatever keys are added.
  var isAny: Bool { keys == nil }

  /// Whether nothing changed.
  var isEmpty: Bool { keys?.isEmpty ?? false }

  mutating func insert(_ key: [UInt8]) {
    guard keepsKeys else {
      self = .any
      return
    }
    guard keys?.insert(key).inserted == true else { return }
    byteCount += key.count
    guard let keys, keys.count <= Self.countMaximum, byteCount <= Self.byteCountMaximum else {
      self = .any
      return
    }
  }

  mutating func formUnion(_ other: ChangedKeys) {
    guard let others = other.keys else {
      self = .any
      return
    }
    if isEmpty {
      self = other
      return
    }
    for key in others {
      if keys == nil { return }
      insert(key)
    }
  }
}
