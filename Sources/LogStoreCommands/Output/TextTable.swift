/// Rows of text under a header, padded to columns.
struct TextTable: Sendable {
  /// Where the text of a column stands.
  enum Alignment: Sendable {
    case left
    case right
  }

  private let titles: [String]
  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// A table with one title and alignment for each column.
  init(_ columns: [(title: String, alignment: Alignment)]) {
    titles = columns.map(\.title)
    alignments = columns.map(\.alignment)
  }

  /// Adds a row; the count of `cells` must be that of the columns. Control characters are made
  /// visible, so that columns stay aligned.
  mutating func append(_ cells: [String]) {
    precondition(cells.count == titles.count, "A row needs one cell for each column.")
    rows.append(cells.map(VisibleText.line))
  }

  /// The lines, header first, without spaces at their ends.
  var lines: [String] {
    let widths = titles.indices.map { column in
      rows.reduce(titles[column].count) { max($0, $1[column].count) }
    }
    return ([titles] + rows).map { cells in
      let padded = zip(zip(cells, widths), alignments).map { pair, alignment in
        let padding = String(repeating: " ", count: pair.1 - pair.0.count)
        return alignment == .left ? pair.0 + padding : padding + pair.0
      }
      var line = padded.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
