internal import ObjectStore

/// Made-up records; the same for the same seed. SplitMix64 (Steele, Lea, Flood 2014).
struct SelfTestRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  private mutating func below(_ count: UInt64) -> UInt64 { next() % count }

  /// A record whose members have only cases where `cases` has some.
  mutating func record(
    of shape: TypeShape, cases: [String: [Value]]
  ) throws(SchemaError) -> (key: [UInt8], payload: [UInt8]) {
    var values = shape.members.map { value(of: $0.type, cases, at: $0.name) }
    if values[shape.keyIndex] == "" { values[shape.keyIndex] = "key" }
    if values[shape.keyIndex] == .data([]) { values[shape.keyIndex] = .data([1]) }
    return (
      try KeyCoding.encode(values[shape.keyIndex], as: shape.keyType),
      try RecordPayload.encode(values, shape: shape)
    )
  }

  /// `payload` with another value for one member, if there is one besides the key.
  mutating func changing(
    _ payload: [UInt8], key: Value, of shape: TypeShape, cases: [String: [Value]]
  ) throws(SchemaError) -> [UInt8] {
    var values = try RecordPayload.decode(payload, key: key, shape: shape)
    let index = Int(below(UInt64(values.count)))
    let member = shape.members[index]
    if index != shape.keyIndex { values[index] = value(of: member.type, cases, at: member.name) }
    return try RecordPayload.encode(values, shape: shape)
  }

  /// `payload` with other cases in the members that have some, and nil in some that may be nil.
  mutating func varying(
    _ payload: [UInt8], key: Value, of shape: TypeShape, cases: [String: [Value]]
  ) throws(SchemaError) -> [UInt8] {
    var values = try RecordPayload.decode(payload, key: key, shape: shape)
    for (index, member) in shape.members.enumerated() where index != shape.keyIndex {
      if cases[member.name] != nil {
        values[index] = value(of: member.type, cases, at: member.name)
      } else {
        values[index] = varied(values[index], member.type, cases, at: member.name)
      }
    }
    return try RecordPayload.encode(values, shape: shape)
  }

  /// `value`, or nil where it may be; with other cases inside of embedded objects.
  private mutating func varied(
    _ value: Value, _ type: FieldType, _ cases: [String: [Value]], at path: String
  ) -> Value {
    switch (value, type) {
    case (.null, _): return value
    case (_, .optional(let inner)):
      return below(4) == 0 ? .null : varied(value, inner, cases, at: path)
    case (.list(let elements), .list(let inner)):
      return .list(elements.map { varied($0, inner, cases, at: path) })
    case (.dictionary(let elements), .dictionary(let inner)):
      return .dictionary(elements.mapValues { varied($0, inner, cases, at: path) })
    case (.object(var values), .object(let members)):
      for member in members {
        let place = "\(path).\(member.name)"
        values[member.name] = varied(values[member.name] ?? .null, member.type, cases, at: place)
      }
      return .object(values)
    default: return cases[path] == nil ? value : self.value(of: type, cases, at: path)
    }
  }

  /// `cases` are those of members, by the path to each.
  private mutating func value(
    of type: FieldType, _ cases: [String: [Value]] = [:], at path: String = ""
  ) -> Value {
    switch type {
    case .optional, .list, .dictionary: break
    default: if let cases = cases[path] { return cases[Int(below(UInt64(cases.count)))] }
    }
    switch type {
    case .bool: return .bool(below(2) == 0)
    case .int32: return .int(integer(bitCount: 32))
    case .int64: return .int(integer(bitCount: 64))
    case .float: return .float(number(below: 1000, scale: 8))
    case .double: return .double(number(below: 1_000_000, scale: 64))
    case .string: return .string(text())
    case .data: return .data((0..<below(9)).map { _ in UInt8(below(256)) })
    case .date: return .date(seconds())
    case .uuid: return .uuid(UniqueIdentifier(high: next(), low: next()))
    case .optional(let wrapped): return below(3) == 0 ? .null : value(of: wrapped, cases, at: path)
    case .list(let element):
      return .list((0..<below(4)).map { _ in value(of: element, cases, at: path) })
    case .dictionary(let element):
      var values: [String: Value] = [:]
      for _ in 0..<below(4) { values[text()] = value(of: element, cases, at: path) }
      return .dictionary(values)
    case .object(let members):
      var values: [String: Value] = [:]
      for member in members {
        values[member.name] = value(of: member.type, cases, at: "\(path).\(member.name)")
      }
      return .object(values)
    }
  }

  /// Of every magnitude, half of them negative.
  private mutating func integer(bitCount: UInt64) -> Int64 {
    let magnitude = Int64(next() >> (64 - bitCount + 1 + below(bitCount - 1)))
    return below(2) == 0 ? magnitude : ~magnitude
  }

  /// A fraction; or, one time in eight, what few think of.
  private mutating func number<Number: BinaryFloatingPoint>(
    below count: UInt64, scale: Number
  ) -> Number {
    let extremes: [Number] = [
      .nan, .infinity, 0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
    ]
    let magnitude =
      below(8) == 0
      ? extremes[Int(below(UInt64(extremes.count)))] : Number(below(count)) / scale
    return below(2) == 0 ? magnitude : -magnitude
  }

  /// A time with milliseconds; or, one time in eight, what few think of.
  private mutating func seconds() -> Double {
    guard below(8) == 0 else { return Double(integer(bitCount: 32)) + Double(below(1000)) / 1000 }
    // The first two are Foundation's distant past and distant future.
    let extremes: [Double] = [
      -63_114_076_800, 63_113_904_000, 0, -.leastNonzeroMagnitude, -.infinity, .infinity, .nan,
    ]
    return extremes[Int(below(UInt64(extremes.count)))]
  }

  /// Empty, words with separators, numbers, and letters beyond ASCII.
  private mutating func text() -> String {
    let words = ["", "a", "Ada King", "x,y", "42", "-1.5", "é", "語", "a@b", "2001-01-01", "😀 b"]
    return (0..<below(3)).map { _ in words[Int(below(UInt64(words.count)))] }
      .joined(separator: " ")
  }
}
