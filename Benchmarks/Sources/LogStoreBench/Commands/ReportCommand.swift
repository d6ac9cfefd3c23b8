import ArgumentParser
import Foundation

/// Prints the tables of a run that was kept, and writes its page.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Prints a run that was kept, and writes its page.")

  @Argument(help: "The file that a run wrote.")
  var file: String

  @Option(help: "The page to write.")
  var html: String?

  @Option(help: "The folder for the plots against the number of records, as SVG files.")
  var plots: String?

  func run() throws {
    let run = try RunFile(path: file)
    for line in run.description.lines { print(line) }
    print(ComparisonTable(results: run.results).text)
    if let html { try Data(HTMLReport(run: run).html.utf8).write(to: URL(filePath: html)) }
    if let plots { try PlotFiles.write(run, to: plots) }
  }
}
