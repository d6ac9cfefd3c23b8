import Foundation
import SchemaRegistry

/// Histories as the text of a file.
enum HistoryFiles {
  static func read(_ text: String) throws -> SchemaHistory {
    try JSONDecoder().decode(HistoryDocument.self, from: Data(text.utf8)).history
  }

  static func write(_ history: SchemaHistory) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(HistoryDocument(history)), as: UTF8.self)
  }

  /// The text of Documentation/HistoryFile.md.
  static func documentation() throws -> String {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Documentation/HistoryFile.md").standardized
    return try String(contentsOf: path, encoding: .utf8)
  }
}
