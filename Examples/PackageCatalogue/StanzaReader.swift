/// Reads stanzas of the Debian control format, one at a time.
///
/// A stanza is a run of `Name: value` lines; a line that starts with a space continues the value
/// above it, and ` .` stands for an empty line of the value. Empty lines divide stanzas.
struct StanzaReader {
  /// A line that fits nowhere, with its number counted from 1.
  struct FormatError: Error, Equatable, CustomStringConvertible {
    var line: Int
    var problem: String

    var description: String { "line \(line): \(problem)" }
  }

  private let nextLine: () -> String?
  private var lineNumber = 0

  /// Reads the lines that `nextLine` gives, without their ends, until it gives nothing.
  init(_ nextLine: @escaping () -> String?) {
    self.nextLine = nextLine
  }

  /// The fields of the next stanza by name, or nothing at the end.
  mutating func next() throws(FormatError) -> [String: String]? {
    var fields: [String: String] = [:]
    var name: String?
    while let line = nextLine() {
      lineNumber += 1
      if line.allSatisfy(\.isWhitespace) {
        if fields.isEmpty { continue }
        return fields
      }
      if line.first == " " || line.first == "\t" {
        guard let name else { throw problem("there is no field to continue") }
        fields[name]?.append("\n" + continuation(line))
        continue
      }
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
        throw problem("a field needs a name and a colon")
      }
      let fieldName = String(line[..<colon])
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      guard fields.updateValue(String(value), forKey: fieldName) == nil else {
        throw problem("the field \(fieldName) appears twice in its stanza")
      }
      name = fieldName
    }
    return fields.isEmpty ? nil : fields
  }

  private func continuation(_ line: String) -> Substring {
    let text = line.dropFirst()
    return text == "." ? "" : text
  }

  private func problem(_ text: String) -> FormatError {
    FormatError(line: lineNumber, problem: text)
  }
}
