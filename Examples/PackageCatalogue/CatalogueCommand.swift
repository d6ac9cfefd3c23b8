import ArgumentParser
import Foundation

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

  @Option(help: "Keep only the fields that the base of this history file declares.")
  var fieldsOf: String?

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
  }

  func run() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var selection = PackageSelection(limit: limit, isUnique: unique)
    var reader = StanzaReader { readLine() }
    var fields = try fieldsOf.map {
      try KnownFields(historyFile: Data(contentsOf: URL(fileURLWithPath: $0)))
    }
    while !selection.isComplete, let stanza = try reader.next() {
      guard selection.take(stanza) else { continue }
      let kept = fields?.take(stanza) ?? stanza
      print(String(decoding: try encoder.encode(kept), as: UTF8.self))
    }
    for (name, count) in (fields?.unknown ?? [:]).sorted(by: { $0.key < $1.key }) {
      let note = "left out the field \(name) of \(count) packages: the history has no such member\n"
      FileHandle.standardError.write(Data(note.utf8))
    }
  }
}
