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

        A page that is there is replaced when the new one is whole. What FILE writes to already, \
        as >> does, is written to and not replaced. Where FILE is that, a pipe or a device, as \
        /dev/stdout, what is said of it goes to standard error, unless that is FILE, too.
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
    // What is said there would stand before the page, or behind it.
    let areErrorsThePage = Self.leads(console.errors, to: html)
    if !areErrorsThePage {
      console.noteRecovery(opened.recoveryReport, json: reporting.json)
    }
    let picture = StorePicture(
      name: URL(fileURLWithPath: store).lastPathComponent, statistics: try opened.statistics(),
      schemaVersion: "\(opened.schemaVersion)", types: opened.sortedTypes,
      samples: try PayloadSample.all(of: opened))
    let isFile = try write([UInt8](picture.html.utf8), console)
    if isFile || !areErrorsThePage { try tell(isFile, console) }
    return .success
  }

  private static func leads(_ errors: any ByteOutput, to path: String) -> Bool {
    (errors as? DescriptorOutput)?.leads(to: path) ?? false
  }

  /// Writes the page; says whether it is a plain file of its own now.
  private func write(_ page: [UInt8], _ console: Console) throws -> Bool {
    // What standard output was led to may hold more than the page, as with `>>`.
    if console.output.leads(to: html) {
      try console.output.write(page)
      return false
    }
    if Self.leads(console.errors, to: html) {
      let result = page.withUnsafeBytes { bytes in
        Result { () throws(FileIOError) in try console.errors.write(bytes) }
      }
      try result.get()
      return true
    }
    // Through links, so that it is the page that is replaced, and not what leads to it.
    let path = URL(fileURLWithPath: html).resolvingSymlinksInPath().path
    return try FileReplacement.replace(path, with: page)
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
