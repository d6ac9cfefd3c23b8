/// What is wrong with a JSON text, without quoting it.
enum JSONProblem: Error, Equatable, Sendable, CustomStringConvertible {
  case unexpectedEnd
  case unexpectedByte
  case textAfterValue
  case invalidEscape
  case unpairedSurrogate
  case controlCharacter
  case invalidUTF8
  case invalidNumber
  case integerOutOfRange
  case realOutOfRange
  case duplicateMember(name: String)
  case tooManyMembers(limit: Int)
  case nestingTooDeep(limit: Int)

  var description: String {
    switch self {
    case .unexpectedEnd: "the text ends too early"
    case .unexpectedByte: "a value, name or separator was expected"
    case .textAfterValue: "there is text after the value"
    case .invalidEscape: "an unknown escape follows the backslash"
    case .unpairedSurrogate: "half of a surrogate pair stands alone"
    case .controlCharacter: "a control character must be escaped"
    case .invalidUTF8: "the text is not valid UTF-8"
    case .invalidNumber: "a number is malformed; NaN, infinities and leading zeros are not JSON"
    case .integerOutOfRange:
      "an integer does not fit 64 bits; write it as text, or with a fraction to accept rounding"
    case .realOutOfRange: "a number is beyond the range of a double"
    case .duplicateMember(let name): "member \"\(name)\" appears twice"
    case .tooManyMembers(let limit): "an object has more than \(limit) members"
    case .nestingTooDeep(let limit): "lists and objects nest deeper than \(limit)"
    }
  }
}
