internal import FileIO

/// Reads JSON Lines: one object on each line, lines of white space skipped.
final class JSONLinesReader: RowReader {
  var byteCountRead: UInt64 { lines.byteCountRead }
  private let lines: LineReader
  private var parser = JSONParser()

  /// Reads rows from `input` up to the limits of `ImportLimits`.
  init(_ input: any ByteInput) {
    lines = LineReader(input)
  }

  func header() throws(ImportError) -> (line: Int, names: [String])? { nil }

  func next() throws(ImportError) -> ImportRow? {
    while true {
      let number = lines.lineNumber + 1
      let row = try lines.next { (line) throws(ImportError) -> ImportRow? in
        try self.row(of: line, number: number)
      }
      // Nothing at the end of the input, nothing inside something for a blank line.
      guard let row else { return nil }
      if let row { return row }
    }
  }

  private func row(of line: Span<UInt8>, number: Int) throws(ImportError) -> ImportRow? {
    guard !Self.isBlank(line) else { return nil }
    let value: ImportValue
    do {
      value = try parser.parse(line)
    } catch .invalidUTF8 {
      throw .invalidUTF8(line: number)
    } catch {
      throw .invalidJSON(line: number, byte: parser.offset + 1, problem: error)
    }
    guard case .object(let members) = value else {
      throw .notAnObject(line: number, found: value.kind)
    }
    return ImportRow(line: number, members: members)
  }

  private static func isBlank(_ line: Span<UInt8>) -> Bool {
    for index in line.indices {
      switch line[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
      default: return false
      }
    }
    return true
  }
}
