internal import ArgumentParser
internal import SchemaRegistry

/// `logstore schema check`: whether a history may ship, beside what shipped before it.
struct SchemaCheckCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "check", abstract: "Check a history, alone or against one that has shipped.",
      discussion: """
        backward: new app, old records. forward: old apps, new records. full: both. additive: apps \
        of several versions that share a store. Ends with 7 when something is found. What cannot \
        be checked is said, and is no finding.
        """)
  }

  @Option(help: "backward, forward, full or additive.") var mode = "backward"
  @Option(help: "The history as it was when it shipped.") var against: String?
  @Option(help: "The last version that shipped, where there is no file of it.") var since: UInt64?
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    guard let mode = CompatibilityMode(rawValue: mode) else {
      throw CommandError.usage("there is no mode \(mode); use backward, forward, full or additive")
    }
    guard against == nil || since == nil else {
      throw CommandError.usage(
        "give either --since or --against, whose last version is the one that shipped")
    }
    let history = try HistoryText.required(try history.history())
    let shipped = try against.map { try HistoryFile.read(at: $0) }
    let found =
      if let shipped {
        try history.check(mode, against: shipped)
      } else {
        try history.check(mode, since: since.map { SchemaVersion($0) } ?? history.base.version)
      }
    let limits = history.checkLimits(against: shipped, since: since.map { SchemaVersion($0) })
    if reporting.json {
      try console.write([
        "mode": .text(mode.rawValue), "version": .count(history.latestVersion.rawValue),
        "found": .reports(found.map(Self.report)),
        "unchecked": .list(limits.map { .text($0.description) }),
      ])
    } else {
      for limit in limits { try console.output.writeLine("Not checked: \(limit)") }
      for problem in found { try console.output.writeLine("\(problem)") }
      let count = found.isEmpty ? "nothing" : "\(found.count)"
      try console.output.writeLine(
        "Version \(history.latestVersion), \(mode.rawValue): \(count) found")
    }
    return found.isEmpty ? .success : .migration
  }

  private static func report(_ found: Incompatibility) -> Report {
    [
      "code": .text(found.code.rawValue), "operation": .text(found.operationID),
      "place": .text(found.place), "version": .count(found.version.rawValue),
      "reason": .text(found.reason), "suggestion": .text(found.suggestion),
    ]
  }
}
