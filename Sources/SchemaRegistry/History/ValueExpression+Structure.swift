/// Embedded objects, lists and choices: their values and their types.
extension ValueExpression {
  func evaluateStructure(
    _ room: inout ExpressionRoom, _ member: (String) -> Value
  ) throws(ExpressionFailure) -> Value {
    switch self {
    case .field(let inner, let name):
      try room.read(name.utf8.count)
      return try inner.members(&room, member, for: "field")?[name] ?? .null
    case .object(let parts):
      return .object(try Self.members(parts, &room, member))
    case .setting(let inner, let name, let value):
      try room.read(name.utf8.count)
      guard var values = try inner.members(&room, member, for: "setting") else { return .null }
      values[name] = try value.evaluatePart(&room, member)
      try room.take(valueCount: values.count)
      return .object(values)
    case .reshaped(let inner, let parts):
      return try Self.reshape(try inner.evaluate(&room, member), parts, &room)
    case .first(let inner):
      switch try inner.evaluate(&room, member) {
      case .null: return .null
      case .list(let elements): return elements.first ?? .null
      case let other:
        throw ExpressionFailure(reason: "first needs a list and was given a \(other.kindName)")
      }
    default: preconditionFailure("only structures are evaluated here")
    }
  }

  /// What `parts` give, by their names.
  private static func members(
    _ parts: [ObjectPart], _ room: inout ExpressionRoom, _ member: (String) -> Value
  ) throws(ExpressionFailure) -> [String: Value] {
    try room.take(valueCount: max(1, parts.count))
    var values: [String: Value] = [:]
    for part in parts {
      try room.read(part.name.utf8.count)
      values[part.name] = try part.value.evaluatePart(&room, member)
    }
    return values
  }

  /// The value of a part of an object, which holds it: a text that was made for it counts, though
  /// it is no longer than the one it was made of, as many parts may be made of the same one.
  private func evaluatePart(
    _ room: inout ExpressionRoom, _ member: (String) -> Value
  ) throws(ExpressionFailure) -> Value {
    let value = try evaluate(&room, member)
    switch self {
    // These give what is there, or what was counted when it was made.
    case .member, .constant, .field, .join: break
    default: if case .string(let text) = value { try room.take(text.utf8.count) }
    }
    return value
  }

  private static func reshape(
    _ value: Value, _ parts: [ObjectPart], _ room: inout ExpressionRoom
  ) throws(ExpressionFailure) -> Value {
    // Where nothing is made of a value, nothing else counts it.
    try room.step()
    switch value {
    case .null:
      try room.take(valueCount: 1)
      return .null
    case .object(let values):
      return .object(try members(parts, &room) { name in values[name] ?? .null })
    case .list(var elements):
      try room.take(valueCount: 1)
      for index in elements.indices {
        elements[index] = try reshape(elements[index], parts, &room)
      }
      return .list(elements)
    case .dictionary(let elements):
      try room.take(valueCount: 1)
      var values: [String: Value] = [:]
      for (key, element) in elements {
        try room.read(key.utf8.count)
        values[key] = try reshape(element, parts, &room)
      }
      return .dictionary(values)
    case let other:
      throw ExpressionFailure(
        reason: "reshaped needs embedded objects and was given a \(other.kindName)")
    }
  }

  func evaluateChoice(
    _ room: inout ExpressionRoom, _ member: (String) -> Value
  ) throws(ExpressionFailure) -> Value {
    switch self {
    case .mapped(let inner, let cases, let otherwise):
      let value = try inner.evaluate(&room, member)
      for known in cases where try room.compares(known.from, value) { return known.to }
      if value.isNull { return .null }
      if let otherwise { return try otherwise.evaluate(&room, member) }
      throw ExpressionFailure(reason: "the value is none of the \(cases.count) mapped cases")
    case .isEqual(let first, let second):
      let value = try first.evaluate(&room, member)
      return .bool(try room.compares(value, try second.evaluate(&room, member)))
    case .isNil(let inner): return .bool(try inner.evaluate(&room, member).isNull)
    case .not(let inner):
      switch try inner.evaluate(&room, member) {
      case .null: return .null
      case .bool(let value): return .bool(!value)
      case let other:
        throw ExpressionFailure(reason: "not needs a bool and was given a \(other.kindName)")
      }
    default: preconditionFailure("only choices are evaluated here")
    }
  }

  private func members(
    _ room: inout ExpressionRoom, _ member: (String) -> Value, for word: String
  ) throws(ExpressionFailure) -> [String: Value]? {
    switch try evaluate(&room, member) {
    case .null: return nil
    case .object(let values): return values
    case let other:
      throw ExpressionFailure(
        reason: "\(word) needs an embedded object and was given a \(other.kindName)")
    }
  }
}

extension ValueExpression {
  func inferStructure(_ member: (String) -> FieldType?) throws(Problem) -> ExpressionType {
    switch self {
    case .field(let inner, let name):
      let type = try inner.inferType(member)
      guard let base = type.base else { return ExpressionType(base: nil, isOptional: true) }
      guard case .object(let members) = base,
        let found = members.first(where: { $0.name == name })
      else {
        throw Problem(
          member: inner.memberNames.first, reason: "reads \(name) of \(base), which has none")
      }
      return ExpressionType(
        base: found.type.unwrapped, isOptional: type.isOptional || found.type.isOptional)
    case .object(let parts):
      let object = try Self.inferObject(parts, member)
      return ExpressionType(base: try Self.limited(object), isOptional: false)
    case .setting(let inner, let name, let value):
      let type = try inner.inferType(member)
      guard let base = type.base, let stored = try value.inferType(member).stored else {
        return ExpressionType(base: nil, isOptional: type.isOptional)
      }
      guard case .object(var members) = base else {
        throw Problem(
          member: inner.memberNames.first, reason: "sets \(name) of \(base), which is no object")
      }
      let index = members.firstIndex { $0.name == name } ?? members.count
      members.replaceSubrange(
        index..<min(index + 1, members.count), with: [MemberShape(name, stored)])
      return ExpressionType(
        base: try Self.limited(.object(members)), isOptional: type.isOptional)
    case .reshaped(let inner, let parts):
      let type = try inner.inferType(member)
      guard let base = type.base else { return type }
      guard case .object(let members) = base.innermost else {
        throw Problem(
          member: inner.memberNames.first, reason: "reshapes \(base), which holds no object")
      }
      let object = try Self.inferObject(parts) { name in members.first { $0.name == name }?.type }
      return ExpressionType(
        base: try Self.limited(object.map { base.replacingInnermost(with: $0) }),
        isOptional: type.isOptional)
    case .first(let inner):
      guard let base = try inner.inferType(member).base else {
        return ExpressionType(base: nil, isOptional: true)
      }
      guard case .list(let element) = base else {
        throw Problem(
          member: inner.memberNames.first, reason: "takes the first of \(base), which is no list")
      }
      return ExpressionType(base: element.unwrapped, isOptional: true)
    default: preconditionFailure("only structures are typed here")
    }
  }

  /// The type of an object with these parts; nothing when only the record tells.
  private static func inferObject(
    _ parts: [ObjectPart], _ member: (String) -> FieldType?
  ) throws(Problem) -> FieldType? {
    var members: [MemberShape] = []
    for part in parts {
      guard let stored = try part.value.inferType(member).stored else { return nil }
      members.append(MemberShape(part.name, stored))
    }
    return .object(members)
  }

  /// The type, unless it has grown beyond all use: nothing may walk it then.
  private static func limited(_ type: FieldType?) throws(Problem) -> FieldType? {
    if let problem = type?.problemOfSize {
      throw Problem(member: nil, reason: "gives a value that cannot be stored: \(problem)")
    }
    return type
  }

  func inferChoice(_ member: (String) -> FieldType?) throws(Problem) -> ExpressionType {
    switch self {
    case .mapped(let inner, let cases, let otherwise):
      let type = try inner.inferType(member)
      if let base = type.base,
        let wrong = cases.first(where: { !$0.from.isValid(for: base) && !$0.from.isNull })
      {
        throw Problem(
          member: inner.memberNames.first,
          reason: "maps from \(wrong.from.kindName), but \(inner.memberNames.first ?? "the value") "
            + "is \(base)")
      }
      var result = ExpressionType(
        base: cases.first { !$0.to.isNull }?.to.naturalType,
        isOptional: type.isOptional || cases.contains(where: \.to.isNull))
      if let base = type.base, cases.allSatisfy({ $0.to.isNull || $0.to.isValid(for: base) }) {
        result = ExpressionType(base: base, isOptional: result.isOptional)
      }
      guard let otherwise = try otherwise?.inferType(member) else { return result }
      let both = try Self.unify(result, otherwise)
      return ExpressionType(
        base: both.base, isOptional: result.isOptional || otherwise.isOptional)
    case .isEqual(let first, let second):
      _ = try Self.unify(first.inferType(member), second.inferType(member))
      return ExpressionType(base: .bool, isOptional: false)
    case .isNil(let inner):
      _ = try inner.inferType(member)
      return ExpressionType(base: .bool, isOptional: false)
    case .not(let inner):
      let type = try inner.inferType(member)
      guard type.base == .bool || type.base == nil else {
        throw Problem(
          member: inner.memberNames.first,
          reason: "gives not \(type.base?.description ?? "a value"), but it needs a bool")
      }
      return type
    default: preconditionFailure("only choices are typed here")
    }
  }
}

extension ExpressionType {
  /// The type of a member that stores such values; nothing when only the record tells.
  var stored: FieldType? { base.map { isOptional ? $0.madeOptional : $0 } }
}
