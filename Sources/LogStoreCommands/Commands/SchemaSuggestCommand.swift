internal import ArgumentParser
internal import SchemaRegistry

/// `logstore schema suggest A B`: the operations that lead from one schema to another.
struct SchemaSuggestCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "suggest",
    abstract: "Suggest operations that lead from one history's last version to another's.",
    discussion: """
      What is beyond doubt is written as Swift; what needs a decision is listed. A rename cannot \
      be told from a removal and an addition: it is offered, never taken.
      """)

  @Argument(help: "A history file.") var first: String
  @Argument(help: "Another one, whose last version is wanted.") var second: String
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let (old, new) = (try HistoryFile.read(at: first), try HistoryFile.read(at: second))
    let suggestion = try SchemaSuggestion(from: old, to: new)
    if reporting.json {
      try console.write([
        "operations": .list(suggestion.operations.map { .text($0) }),
        "undecided": .list(suggestion.undecided.map { .text($0) }),
        "possibleRenames": .list(suggestion.possibleRenames.map { .text($0) }),
      ])
      return .success
    }
    try console.output.writeLine("Version(\(old.latestVersion.rawValue + 1)) {")
    for line in suggestion.operations { try console.output.writeLine("  \(line)") }
    try console.output.writeLine("}")
    for line in suggestion.undecided { try console.output.writeLine("// To decide: \(line)") }
    for line in suggestion.possibleRenames {
      try console.output.writeLine("// Perhaps instead: \(line)")
    }
    return .success
  }
}
