import ArgumentParser
import Foundation
import SchemaRegistry

/// Turns a Debian package catalogue into JSON Lines, ready for `logstore import`.
@main
struct CatalogueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "PackageCatalogue",
    abstract: "Turn a Debian package catalogue into JSON Lines.",
    discussion: """
      Reads stanzas on standard input, as "apt-cache dumpavail" prints them, and writes one object
      for each, with every field as text under its own name.
      """)

  @Option(help: "Stop after this many packages.")
  var limit: Int?

  @Flag(help: "Keep only the first stanza of each package name.")
  var unique = false

  @Option(help: "Also write history-0.json to history-3.json into this folder.")
  var histories: String?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
  }

  func run() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var selection = PackageSelection(limit: limit, isUnique: unique)
    var census = FieldCensus()
    var reader = StanzaReader { readLine() }
    while !selection.isComplete, let stanza = try reader.next() {
      guard selection.take(stanza) else { continue }
      census.count(stanza)
      print(String(decoding: try encoder.encode(stanza), as: UTF8.self))
    }
    if let histories { try write(census, into: histories) }
  }

  /// Writes the history as it was under each version, for a user who steps through them.
  private func write(_ census: FieldCensus, into folder: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    for version in 0...CatalogueHistory.latestVersion {
      let history = CatalogueHistory.make(census, through: version)
      try history.validate()
      let document = try encoder.encode(HistoryDocument(history))
      try document.write(to: URL(fileURLWithPath: "\(folder)/history-\(version).json"))
    }
  }
}
