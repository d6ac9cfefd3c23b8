internal import ArgumentParser

/// The options that every command has.
struct ReportingOptions: ParsableArguments {
  @Flag(help: "Write results and errors as JSON, for programs.")
  var json = false
}
