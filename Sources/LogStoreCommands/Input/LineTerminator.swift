/// How a line ended.
enum LineTerminator: Sendable {
  case lineFeed
  case carriageReturnLineFeed
  /// The last line of an input that does not end with a line feed.
  case endOfInput

  /// The bytes as they stood in the input.
  var bytes: [UInt8] {
    switch self {
    case .lineFeed: [UInt8(ascii: "\n")]
    case .carriageReturnLineFeed: [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
    case .endOfInput: []
    }
  }
}
