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

        A page that is there is replaced when the new one is whole. Where FILE is a pipe or a \
        device, as /dev/stdout, what is said of it goes to standard error.
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
    console.noteRecovery(opened.recoveryReport, json: reporting.json)
    let picture = StorePicture(
      name: URL(fileURLWithPath: store).lastPathComponent, statistics: try opened.statistics(),
      schemaVersion: "\(opened.schemaVersion)", types: opened.sortedTypes,
      samples: try PayloadSample.all(of: opened))
    // Through links, so that it is the page that is replaced, and not what leads to it.
    let page = URL(fileURLWithPath: html).resolvingSymlinksInPath().path
    let isFile = try FileReplacement.replace(page, with: [UInt8](picture.html.utf8))
    try tell(isFile, console)
    return .success
  }

  /// What is written to a pipe or a device may be standard output, where the page ends with itself.
  private func tell(_ isFile: Bool, _ console: Console) throws {
    let report: Report = ["store": .text(store), "html": .text(html)]
    switch (isFile, reporting.json) {
    case (true, true): try console.write(report)
    case (true, false): try console.output.writeLine("Wrote \(html)")
    case (false, true): console.note(report)
    case (false, false): console.note("Wrote \(html)")
    }
  }
}
