internal import Foundation
internal import SchemaRegistry

/// Histories as the text of a file, and what commands need of them.
enum HistoryText {
  /// The file of a history, with its keys in order, so that equal histories give equal files.
  static func text(of history: SchemaHistory) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(HistoryDocument(history)), as: UTF8.self)
  }

  /// The history that a command cannot do without.
  static func required(_ history: SchemaHistory?) throws -> SchemaHistory {
    guard let history else {
      throw CommandError.usage("this command works on a history; give one with --history FILE")
    }
    try history.validate()
    return history
  }
}
