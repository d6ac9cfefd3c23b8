internal import ArgumentParser
internal import Foundation
internal import ObjectStore

/// `logstore report STORE --html FILE`: a picture of a store.
struct ReportCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "report", abstract: "Write a page with a picture of the store.",
      discussion: """
        One file without scripts, fonts or anything from elsewhere: segments by age and live part, \
        schema versions over segments, space by type, what compression gains, and what compaction \
        wrote. Reads some objects of each type, to tell how large they are before compression.
        """)
  }

  @Argument(help: "The directory of the store.") var store: String
  @Option(help: "The file to write.") var html: String
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let opened = try Store.open(
      at: store, history: try history.history(), configuration: .inspection)
    let picture = StorePicture(
      name: URL(fileURLWithPath: store).lastPathComponent, statistics: try opened.statistics(),
      schemaVersion: "\(opened.schemaVersion)", samples: try PayloadSample.all(of: opened))
    do {
      try Data(picture.html.utf8).write(to: URL(fileURLWithPath: html))
    } catch {
      throw CommandError.usage("\(html) cannot be written: \(error.localizedDescription)")
    }
    if reporting.json {
      try console.write(["store": .text(store), "html": .text(html)])
    } else {
      try console.output.writeLine("Wrote \(html)")
    }
    return .success
  }
}
