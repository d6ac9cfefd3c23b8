extension ValueExpression {
  /// The value of the expression; `member` gives the values of the members it reads.
  func evaluate(_ member: (String) -> Value) throws(ExpressionFailure) -> Value {
    var room = ExpressionRoom()
    return try evaluate(&room, member)
  }

  /// The same for one of several expressions that share the room.
  func evaluate(
    _ room: inout ExpressionRoom, _ member: (String) -> Value
  ) throws(ExpressionFailure) -> Value {
    try room.step()
    switch self {
    case .member(let name):
      try room.read(name.utf8.count)
      return member(name)
    case .constant(let value): return value
    case .join(let parts, let separator):
      var texts: [String] = []
      for part in parts {
        guard let text = try part.text(&room, member, for: "join") else { continue }
        // Not when all are there: each may be one that was made.
        try room.take(text.utf8.count)
        texts.append(text)
      }
      try room.take(max(0, texts.count - 1) * separator.utf8.count)
      return .string(texts.joined(separator: separator))
    case .orElse(let first, let second):
      do throws(ExpressionFailure) {
        let value = try first.evaluate(&room, member)
        if !value.isNull { return value }
      } catch {
        if error.isLimit { throw error }
      }
      return try second.evaluate(&room, member)
    case .toString(let inner):
      return try Self.text(of: inner.evaluate(&room, member))
    case .textBefore, .textAfter, .textBetween, .trimmed, .lowercased, .parseInteger, .parseDouble:
      guard let text = try children[0].text(&room, member, for: wordForText) else { return .null }
      try room.read(text.utf8.count)
      let value = try evaluate(onText: text, &room)
      // What is no longer than the text makes nothing grow.
      if case .string(let made) = value { try room.take(max(0, made.utf8.count - text.utf8.count)) }
      return value
    case .field, .object, .setting, .reshaped, .first:
      return try evaluateStructure(&room, member)
    case .mapped, .isEqual, .isNil, .not:
      return try evaluateChoice(&room, member)
    }
  }

  private var wordForText: String {
    switch self {
    case .textBefore: "textBefore"
    case .textAfter: "textAfter"
    case .textBetween: "textBetween"
    case .trimmed: "trimmed"
    case .lowercased: "lowercased"
    case .parseInteger: "parseInteger"
    default: "parseDouble"
    }
  }

  private func text(
    _ room: inout ExpressionRoom, _ member: (String) -> Value, for word: String
  ) throws(ExpressionFailure) -> String? {
    switch try evaluate(&room, member) {
    case .null: return nil
    case .string(let text): return text
    case let other:
      throw ExpressionFailure(reason: "\(word) needs text and was given a \(other.kindName)")
    }
  }

  private func evaluate(
    onText text: String, _ room: inout ExpressionRoom
  ) throws(ExpressionFailure) -> Value {
    switch self {
    case .textBefore(_, let separator):
      return .string(try Self.split(text, at: separator, &room).before)
    case .textAfter(_, let separator):
      return .string(try Self.split(text, at: separator, &room).after)
    case .textBetween(_, let start, let end):
      let rest = try Self.split(text, at: start, &room).after
      return .string(try Self.split(rest, at: end, &room).before)
    case .trimmed:
      let rest = text.drop { $0.isWhitespace }
      let length = rest.reversed().drop { $0.isWhitespace }.count
      return .string(String(rest.prefix(length)))
    case .lowercased:
      return .string(text.lowercased())
    case .parseInteger:
      guard let number = Int64(text) else {
        throw ExpressionFailure(reason: "the text is not a whole number")
      }
      return .int(number)
    default:
      let allowed = Array("0123456789+-.eE".utf8)
      guard text.utf8.allSatisfy({ allowed.contains($0) }), let number = Double(text) else {
        throw ExpressionFailure(reason: "the text is not a number")
      }
      return .double(number)
    }
  }

  private static func text(of value: Value) throws(ExpressionFailure) -> Value {
    switch value {
    case .null: return .null
    case .bool(let value): return .string(value ? "true" : "false")
    case .int(let value): return .string(String(value))
    case .float(let value): return .string(value.description)
    case .double(let value): return .string(value.description)
    case .string: return value
    case .uuid(let value): return .string(value.description)
    default:
      throw ExpressionFailure(reason: "toString cannot turn a \(value.kindName) into text")
    }
  }

  /// The parts before and after the first `separator`, found by bytes: exact, in every locale.
  ///
  /// Each byte is looked at once or twice, whatever is searched (Knuth, Morris, Pratt 1977): what a
  /// store tells of a history may be made to cost much.
  private static func split(
    _ text: String, at separator: String, _ room: inout ExpressionRoom
  ) throws(ExpressionFailure) -> (before: String, after: String) {
    let wanted = Array(separator.utf8)
    // Histories have none, but what a store tells of one may be anything.
    guard !wanted.isEmpty else { throw ExpressionFailure(reason: "the separator is empty") }
    try room.read(wanted.count)
    let bytes = Array(text.utf8)
    let borders = borders(of: wanted)
    var found = 0
    for (place, byte) in bytes.enumerated() {
      while found > 0, wanted[found] != byte { found = borders[found - 1] }
      if wanted[found] == byte { found += 1 }
      guard found == wanted.count else { continue }
      return (
        String(decoding: bytes[..<(place + 1 - found)], as: UTF8.self),
        String(decoding: bytes[(place + 1)...], as: UTF8.self)
      )
    }
    throw ExpressionFailure(reason: "the text has no separator \"\(separator)\"")
  }

  /// For each place how many of the bytes up to it are those that `wanted` begins with, too, but
  /// not all of them: so many are found still where the next one differs.
  private static func borders(of wanted: [UInt8]) -> [Int] {
    var borders = [0]
    for place in wanted.indices.dropFirst() {
      var length = borders[place - 1]
      while length > 0, wanted[length] != wanted[place] { length = borders[length - 1] }
      borders.append(wanted[length] == wanted[place] ? length + 1 : 0)
    }
    return borders
  }
}
