/// Rows of texts as a table that a terminal and Markdown both show: the first row is the head.
enum TextTable {
  static func text(_ rows: [[String]]) -> String {
    guard let head = rows.first else { return "" }
    let widths = head.indices.map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.reduce(3, max)
    }
    func line(_ cells: [String]) -> String {
      let padded = zip(cells, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }
      return "| " + padded.joined(separator: " | ") + " |"
    }
    let rule = widths.enumerated().map { column, width in
      column == 0
        ? String(repeating: "-", count: width) : String(repeating: "-", count: width - 1) + ":"
    }
    return ([line(head), line(rule)] + rows.dropFirst().map(line)).joined(separator: "\n")
  }
}
