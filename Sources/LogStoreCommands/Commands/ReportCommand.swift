internal import ArgumentParser
internal import FileIO
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
    try CopyPlace.check(html, outside: store, "the store", kind: "file")
    let opened = try Store.open(
      at: store, history: try history.history(), configuration: .inspection)
    let picture = StorePicture(
      name: URL(fileURLWithPath: store).lastPathComponent, statistics: try opened.statistics(),
      schemaVersion: "\(opened.schemaVersion)", types: opened.sortedTypes,
      samples: try PayloadSample.all(of: opened))
    // Through links, so that it is the page that is replaced, and not what leads to it.
    let page = URL(fileURLWithPath: html).resolvingSymlinksInPath().path
    try FileReplacement.replace(page, with: [UInt8](picture.html.utf8))
    if reporting.json {
      try console.write(["store": .text(store), "html": .text(html)])
    } else {
      try console.output.writeLine("Wrote \(html)")
    }
    return .success
  }
}
