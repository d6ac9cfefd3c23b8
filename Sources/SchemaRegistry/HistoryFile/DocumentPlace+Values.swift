/// Values in a history file, read in the light of their type.
extension DocumentPlace {
  /// The value of `type` here; see Documentation/HistoryFile.md for the forms.
  func value(of type: FieldType) throws(SchemaError) -> Value {
    switch (tree, type) {
    case (.null, .optional): return .null
    case (_, .optional(let wrapped)): return try value(of: wrapped)
    case (.bool(let value), .bool): return .bool(value)
    case (.integer(let value), .int64): return .int(value)
    case (.number(0), .int64), (.number(0), .int32): return .int(0)
    case (.integer(let value), .int32):
      guard Int32(exactly: value) != nil else { throw failure("the number does not fit int32") }
      return .int(value)
    case (.text(let value), .string): return .string(value)
    case (_, .float):
      let number = try floating()
      guard number.isFinite == Float(number).isFinite else {
        throw failure("the number does not fit float")
      }
      return .float(Float(number))
    case (_, .double): return .double(try floating())
    case (_, .date): return .date(try floating())
    case (.text(let text), .data):
      guard let bytes = Hexadecimal.bytes(text) else {
        throw failure("data is written in hexadecimal digits")
      }
      return .data(bytes)
    case (.text(let text), .uuid):
      guard let identifier = UniqueIdentifier(parsing: text) else {
        throw failure("a uuid is written as 8-4-4-4-12 hexadecimal digits")
      }
      return .uuid(identifier)
    case (.array, .list(let element)):
      var values: [Value] = []
      for place in try array() { values.append(try place.value(of: element)) }
      return .list(values)
    case (.object, .dictionary(let element)):
      var values: [String: Value] = [:]
      for (key, place) in try object(allowing: keys()) {
        values[key] = try place.value(of: element)
      }
      return .dictionary(values)
    case (.object, .object(let members)): return try embedded(members)
    default: throw failure("a value of type \(type) is expected")
    }
  }

  /// What is left out stays so: the file of a history has its values, and so its hashes.
  private func embedded(_ members: [MemberShape]) throws(SchemaError) -> Value {
    let places = try object(allowing: Set(members.map(\.name)))
    var values: [String: Value] = [:]
    for member in members {
      if let place = places[member.name] {
        values[member.name] = try place.value(of: member.type)
      } else if !member.type.isOptional {
        throw failure("the member \(member.name) is missing")
      }
    }
    return .object(values)
  }

  private func floating() throws(SchemaError) -> Double {
    switch tree {
    case .integer(let value): return Double(value)
    case .number(let value): return value
    case .text("NaN"): return .nan
    case .text("Infinity"): return .infinity
    case .text("-Infinity"): return -.infinity
    default: throw failure("a number is expected")
    }
  }
}

extension DocumentTree {
  /// The form of `value` that ``DocumentPlace/value(of:)`` reads.
  init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .integer(value)
    case .float(let value): self = Self.floating(Double(value))
    case .double(let value), .date(let value): self = Self.floating(value)
    case .string(let value): self = .text(value)
    case .data(let value): self = .text(Hexadecimal.text(value))
    case .uuid(let value): self = .text(value.description)
    case .list(let values): self = .array(values.map { DocumentTree($0) })
    case .dictionary(let values), .object(let values):
      self = .object(values.mapValues { DocumentTree($0) })
    }
  }

  private static func floating(_ value: Double) -> DocumentTree {
    if value.isNaN { return .text("NaN") }
    if value.isInfinite { return .text(value < 0 ? "-Infinity" : "Infinity") }
    return .number(value)
  }
}
