/// Blanks out comments and the contents of string literals, keeping lines and columns.
///
/// Knows nested block comments, multi-line and raw strings. Code inside an interpolation is
/// masked with its string, which is good enough for rules about declarations and calls.
struct CodeMask {
  private enum State {
    case code
    case lineComment
    case blockComment(depth: Int)
    case text(quotes: Int, pounds: Int)
  }

  private let characters: [Character]
  private var index = 0
  private var state = State.code
  private var result = ""

  static func mask(_ text: String) -> String {
    var mask = CodeMask(characters: Array(text))
    return mask.run()
  }

  private init(characters: [Character]) {
    self.characters = characters
  }

  private mutating func run() -> String {
    while index < characters.count {
      switch state {
      case .code: stepCode()
      case .lineComment:
        if characters[index] == "\n" { state = .code }
        hide(1)
      case .blockComment(let depth): stepBlockComment(depth)
      case .text(let quotes, let pounds): stepText(quotes: quotes, pounds: pounds)
      }
    }
    return result
  }

  private mutating func stepCode() {
    if matches("//") {
      state = .lineComment
      hide(2)
    } else if matches("/*") {
      state = .blockComment(depth: 1)
      hide(2)
    } else if let (quotes, pounds) = openingQuote() {
      state = .text(quotes: quotes, pounds: pounds)
      keep(quotes + pounds)
    } else {
      keep(1)
    }
  }

  private mutating func stepBlockComment(_ depth: Int) {
    if matches("/*") {
      state = .blockComment(depth: depth + 1)
      hide(2)
    } else if matches("*/") {
      state = depth == 1 ? .code : .blockComment(depth: depth - 1)
      hide(2)
    } else {
      hide(1)
    }
  }

  private mutating func stepText(quotes: Int, pounds: Int) {
    let closing = String(repeating: "\"", count: quotes) + String(repeating: "#", count: pounds)
    if matches(closing) {
      keep(closing.count)
      state = .code
    } else if matches("\\"), pounds == 0 {
      hide(2)
    } else {
      hide(1)
    }
  }

  /// The counts of quotes and pound signs when a string literal starts here.
  private func openingQuote() -> (quotes: Int, pounds: Int)? {
    var position = index
    while position < characters.count, characters[position] == "#" { position += 1 }
    let pounds = position - index
    guard position < characters.count, characters[position] == "\"" else { return nil }
    let isMultiline =
      position + 2 < characters.count && characters[position + 1] == "\""
      && characters[position + 2] == "\""
    return (isMultiline ? 3 : 1, pounds)
  }

  private func matches(_ word: String) -> Bool {
    var position = index
    for character in word {
      guard position < characters.count, characters[position] == character else { return false }
      position += 1
    }
    return true
  }

  private mutating func keep(_ count: Int) {
    for _ in 0..<count where index < characters.count {
      result.append(characters[index])
      index += 1
    }
  }

  private mutating func hide(_ count: Int) {
    for _ in 0..<count where index < characters.count {
      result.append(characters[index] == "\n" ? "\n" : " ")
      index += 1
    }
  }
}
