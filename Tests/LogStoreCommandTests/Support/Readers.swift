import FileIO
import Testing

@testable import LogStoreCommands

/// All rows of `text`, read in parts of `partByteCount` bytes.
func rows(
  _ format: ImportFormat, _ text: String, partByteCount: Int = .max
) throws(ImportError) -> [ImportRow] {
  let reader = format.reader(of: MemoryInput(text, partByteCount: partByteCount))
  var rows: [ImportRow] = []
  while let row = try reader.next() { rows.append(row) }
  return rows
}

/// The texts of each row's cells, in order.
func cells(_ rows: [ImportRow]) -> [[String]] {
  rows.map { row in
    row.members.map { member in
      if case .text(let text) = member.value { text } else { "not text" }
    }
  }
}

/// The value of one JSON text.
func json(_ text: String) throws(JSONProblem) -> ImportValue {
  var parser = JSONParser()
  return try parser.parse(Array(text.utf8).span)
}
