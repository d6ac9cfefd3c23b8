internal import ArgumentParser
internal import SchemaRegistry

/// `logstore schema diff A B`: what differs between the last versions of two histories.
struct SchemaDiffCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show what differs between the last versions of two histories.")

  @Argument(help: "A history file.") var first: String
  @Argument(help: "Another one.") var second: String
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let (old, new) = (try HistoryFile.read(at: first), try HistoryFile.read(at: second))
    let differences = try old.shape(at: old.latestVersion).differences(
      to: try new.shape(at: new.latestVersion), includingTypes: true, ignoringIdentities: true)
    let cases = CaseDifference.between(
      try old.cases(at: old.latestVersion), try new.cases(at: new.latestVersion))
    let links = try old.linkDifferences(at: old.latestVersion, to: new, at: new.latestVersion)
    let lines =
      differences.map(\.description) + cases.map(\.description) + links.map(\.description)
    if reporting.json {
      try console.write([
        "from": .count(old.latestVersion.rawValue), "to": .count(new.latestVersion.rawValue),
        "differences": .list(lines.map { .text($0) }),
      ])
    } else {
      for line in lines { try console.output.writeLine(line) }
      if lines.isEmpty { try console.output.writeLine("Nothing differs") }
    }
    return .success
  }
}
