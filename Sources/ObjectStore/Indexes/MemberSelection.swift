internal import LogStore
public import SchemaRegistry

/// Which values of a member are looked up: one, those between two bounds, those with a prefix, or
/// lists and sets that contain an element.
///
/// Numbers and dates are ordered by value, with NaN above the rest and one zero; texts and bytes by
/// their bytes; UUIDs as their texts. Absent values are found by looking for `null` only. All bytes
/// of a text count for whether it is selected, and its first 255 for where it comes among others;
/// see ``MatchCursor``.
public struct MemberSelection: Sendable, Equatable {
  private enum Kind: Equatable {
    case equal(Value)
    case between(KeySelection.Bound, KeySelection.Bound)
    case prefix(Value)
    case containing(Value)
  }

  private let kind: Kind
  /// How the Swift type stores integers of which a negative one is looked for; else unknown.
  let given: IntegerSign
  /// Whether it is between integers of Swift, and by their order.
  let isRangeOfIntegers: Bool

  private init(
    _ kind: Kind, given: IntegerSign = .unknown, isRangeOfIntegers: Bool = false
  ) {
    self.kind = kind
    self.given = given
    self.isRangeOfIntegers = isRangeOfIntegers
  }

  /// Whether both select the same values; what is known of the Swift type of a range is for errors.
  public static func == (left: MemberSelection, right: MemberSelection) -> Bool {
    left.kind == right.kind && left.given == right.given
  }

  /// Objects whose member holds this value; `null` finds those where it is absent.
  public static func equal(to value: Value) -> MemberSelection {
    MemberSelection(.equal(value))
  }

  /// Objects whose member is present and holds a value between two bounds, which are not `null`.
  public static func between(
    _ lower: KeySelection.Bound = .unbounded, _ upper: KeySelection.Bound = .unbounded
  ) -> MemberSelection {
    MemberSelection(.between(lower, upper))
  }

  /// Objects whose text starts with `text`, byte for byte.
  public static func prefix(_ text: String) -> MemberSelection {
    MemberSelection(.prefix(.string(text)))
  }

  /// Objects whose list or set has an element that equals `element`; `null` finds those with an
  /// element that is absent.
  public static func containing(_ element: Value) -> MemberSelection {
    MemberSelection(.containing(element))
  }

  /// The same as ``equal(to:)`` for a value of Swift, of which is known what its bits mean.
  static func equal<Given: StorableValue>(toGiven value: Given) -> MemberSelection {
    let stored = value.dynamicValue
    return MemberSelection(.equal(stored), given: sign(of: Given.self, storing: stored))
  }

  /// The same as ``containing(_:)`` for an element of Swift.
  static func containing<Given: StorableValue>(given element: Given) -> MemberSelection {
    let stored = element.dynamicValue
    return MemberSelection(.containing(stored), given: sign(of: Given.self, storing: stored))
  }

  /// The same as ``between(_:_:)`` for bounds of Swift, of which is known what order is meant.
  static func range(
    from lower: KeySelection.Bound, to upper: KeySelection.Bound
  ) -> MemberSelection {
    let isOfIntegers = [lower, upper].contains { bound in
      switch bound {
      case .including(.int(_)), .excluding(.int(_)): true
      default: false
      }
    }
    return MemberSelection(.between(lower, upper), isRangeOfIntegers: isOfIntegers)
  }

  /// Only negative integers, and those that look so, can be taken for others.
  private static func sign<Given: StorableValue>(
    of type: Given.Type, storing value: Value
  ) -> IntegerSign {
    guard case .int(let integer) = value, integer < 0 else { return .unknown }
    return IntegerSign(of: type)
  }

  /// Whether it is by elements of lists.
  var isOfElements: Bool { if case .containing = kind { true } else { false } }

  /// Whether it is by two bounds.
  private var isRange: Bool { if case .between = kind { true } else { false } }

  /// Throws when objects whose member holds `type` cannot be looked up so, or a bound is no value
  /// of the type.
  func check(_ type: FieldType, of member: String, in shape: TypeShape) throws(StoreError) {
    guard let indexed = IndexedValueCoding.indexedType(type) else {
      throw .notIndexable(type: shape.name, member: member, holds: type)
    }
    guard isOfElements != IndexedValueCoding.isIndexable(type) else {
      throw .invalidLookup(
        type: shape.name, member: member,
        reason: isOfElements
          ? "it holds \(type), which has no elements; look up what it equals"
          : "it holds \(type); look up an element that it contains")
    }
    var values: [Value] = []
    switch kind {
    case .equal(let value), .prefix(let value), .containing(let value): values = [value]
    case .between(let lower, let upper):
      for case .including(let value) in [lower, upper] { values.append(value) }
      for case .excluding(let value) in [lower, upper] { values.append(value) }
      guard !values.contains(.null) else {
        throw .invalidLookup(
          type: shape.name, member: member,
          reason: "null is between no two values; absent ones are found as those equal to null")
      }
    }
    // Whatever integer a bound is, it lies somewhere among those of fewer bits.
    let valid: FieldType = isRange && indexed.unwrapped == .int32 ? .int64 : indexed.madeOptional
    for value in values where !value.isValid(for: valid) {
      let wanted = isOfElements ? "an element of the list's" : "a value of the member's"
      throw .invalidLookup(
        type: shape.name, member: member,
        reason: "it holds \(type), \(value.kindName) was given; give \(wanted) type")
    }
  }

  /// The primary keys among which all that are selected lie, where these are looked up.
  func primaryKeys(of type: FieldType) -> KeyRange {
    let keys: KeySelection
    switch kind {
    case .equal(let value): keys = KeySelection(from: .including(value), to: .including(value))
    case .between(let lower, let upper): keys = KeySelection(from: lower, to: upper)
    case .prefix(.string(let text)): keys = .prefix(text)
    case .prefix, .containing: return .all
    }
    // A bound that no key can have says nothing of where the others are.
    return (try? keys.keyRange(for: type)) ?? .all
  }

  /// The keys of an index among which all that are selected lie; long texts are cut in them.
  var keyRange: KeyRange {
    switch kind {
    case .equal(let value), .containing(let value):
      let bytes = IndexedValueCoding.encode(value)
      return KeyRange(from: .including(bytes), to: .excluding(Self.successor(bytes)))
    case .prefix(let value): return .prefix(IndexedValueCoding.prefix(value))
    case .between(let lower, let upper):
      let range: KeyRange.Bound
      switch upper {
      case .unbounded: range = .excluding([IndexedValueCoding.presentTag + 1])
      case .including(let value), .excluding(let value):
        range = .excluding(Self.successor(IndexedValueCoding.encode(value)))
      }
      switch lower {
      case .unbounded: return KeyRange(from: .including([IndexedValueCoding.presentTag]), to: range)
      case .including(let value), .excluding(let value):
        return KeyRange(from: .including(IndexedValueCoding.encode(value)), to: range)
      }
    }
  }

  /// The smallest bytes behind all that start with `bytes`, which are not all ones.
  private static func successor(_ bytes: [UInt8]) -> [UInt8] {
    var next = bytes
    while next.last == .max { next.removeLast() }
    if let last = next.indices.last { next[last] += 1 }
    return next
  }

  /// What the key of an index begins with at which an object is found whose member holds `value`.
  ///
  /// - Precondition: the value is selected.
  func place(of value: Value) -> [UInt8] {
    if case .containing(let element) = kind { return IndexedValueCoding.encode(element) }
    return IndexedValueCoding.encode(value)
  }

  /// Whether a value is selected.
  func contains(_ value: Value) -> Bool {
    if case .containing(let element) = kind {
      let wanted = IndexedValueCoding.encode(element, cutting: false)
      return IndexedValueCoding.values(in: value, ofElements: true).contains {
        IndexedValueCoding.encode($0, cutting: false) == wanted
      }
    }
    let bytes = IndexedValueCoding.encode(value, cutting: false)
    switch kind {
    case .equal(let value), .containing(let value):
      return bytes == IndexedValueCoding.encode(value, cutting: false)
    case .prefix(let prefix):
      return bytes.starts(with: IndexedValueCoding.prefix(prefix, cutting: false))
    case .between(let lower, let upper):
      return Self.isAbove(bytes, lower) && Self.isBelow(bytes, upper)
    }
  }

  private static func isAbove(_ bytes: [UInt8], _ bound: KeySelection.Bound) -> Bool {
    switch bound {
    case .unbounded: bytes != IndexedValueCoding.absent
    case .including(let value):
      !bytes.lexicographicallyPrecedes(IndexedValueCoding.encode(value, cutting: false))
    case .excluding(let value):
      IndexedValueCoding.encode(value, cutting: false).lexicographicallyPrecedes(bytes)
    }
  }

  private static func isBelow(_ bytes: [UInt8], _ bound: KeySelection.Bound) -> Bool {
    switch bound {
    case .unbounded: true
    case .including(let value):
      !IndexedValueCoding.encode(value, cutting: false).lexicographicallyPrecedes(bytes)
    case .excluding(let value):
      bytes.lexicographicallyPrecedes(IndexedValueCoding.encode(value, cutting: false))
    }
  }
}
