internal import LogStore
public import SchemaRegistry

/// Which keys of a type are walked: those between two bounds, or those with a prefix.
///
/// Keys are ordered as they are stored: integers by value, UUIDs, texts and bytes by their bytes.
/// For text that is the order of Unicode scalars. A selection whose upper bound lies below its
/// lower one is empty, not an error.
public struct KeySelection: Sendable, Equatable {
  /// Where a selection begins or ends.
  public enum Bound: Sendable, Equatable {
    /// At the first or last key there is.
    case unbounded
    /// With this key.
    case including(Value)
    /// Next to this key, which is not selected.
    case excluding(Value)
  }

  private enum Kind: Equatable {
    case between(Bound, Bound)
    case prefix(Value)
  }

  private let kind: Kind

  /// All keys.
  public static let all = KeySelection()

  /// The keys between two bounds.
  public init(from lower: Bound = .unbounded, to upper: Bound = .unbounded) {
    kind = .between(lower, upper)
  }

  private init(_ kind: Kind) { self.kind = kind }

  /// The keys that start with `text`, byte for byte; for types whose key is a string.
  public static func prefix(_ text: String) -> KeySelection {
    KeySelection(.prefix(.string(text)))
  }

  /// The keys that start with `bytes`; for types whose key is data.
  public static func prefix(_ bytes: [UInt8]) -> KeySelection {
    KeySelection(.prefix(.data(bytes)))
  }

  /// The same in bytes, for keys of `type`; throws for bounds that are no such keys.
  func keyRange(for type: FieldType) throws(SchemaError) -> KeyRange {
    switch kind {
    case .between(let lower, let upper):
      return KeyRange(from: try Self.bound(lower, type), to: try Self.bound(upper, type))
    case .prefix(let prefix):
      guard type == .string || type == .data else {
        throw .invalidKey(keyType: type, reason: "only strings and data have prefixes")
      }
      return .prefix(try Self.encode(prefix, type))
    }
  }

  private static func bound(
    _ bound: Bound, _ type: FieldType
  ) throws(SchemaError) -> KeyRange.Bound {
    switch bound {
    case .unbounded: .unbounded
    case .including(let key): .including(try encode(key, type))
    case .excluding(let key): .excluding(try encode(key, type))
    }
  }

  /// The bytes of `key`, which need not be one that an object can have: it may be empty, too long,
  /// or an integer too large for the type.
  static func encode(_ key: Value, _ type: FieldType) throws(SchemaError) -> [UInt8] {
    switch (key, type) {
    case (.string(let text), .string): [UInt8](text.utf8)
    case (.data(let bytes), .data): bytes
    case (.int, .int32): try KeyCoding.encode(key, as: .int64)
    default: try KeyCoding.encode(key, as: type)
    }
  }
}
