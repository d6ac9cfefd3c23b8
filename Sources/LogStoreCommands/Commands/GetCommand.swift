internal import ArgumentParser
internal import ObjectStore

/// `logstore get STORE TYPE KEY`: one object as canonical JSON.
struct GetCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "get", abstract: "Print one object as a line of JSON.",
      discussion: """
        Ends with status 1 when there is no object under the key. A uuid is given in its usual \
        form, a key of bytes as base64. On a terminal characters that it would obey are written \
        as \\uXXXX.

        A key that begins with -- goes behind --, and so does -h: get STORE TYPE -- --key.
        """)
  }

  @Argument(help: "The directory of the store.") var store: String
  @Argument(help: "The name of the object's type.") var type: String
  @Argument(help: "The primary key.") var key: String
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let store = try Store.open(
      at: store, history: try history.history(), configuration: .inspection)
    console.noteRecovery(store.recoveryReport, json: reporting.json)
    let shape = try store.type(type)
    let key = try KeyText.value(key, of: shape)
    guard let object = try store.snapshot().object(ofType: type, key: key) else {
      let message = "there is no \(type) under this key"
      if reporting.json {
        console.note([
          "error": .text("\(ExitStatus.notFound)"), "message": .text(message),
          "exitCode": .integer(Int64(ExitStatus.notFound.rawValue)),
        ])
      } else {
        console.note("Not found: \(message)")
      }
      return .notFound
    }
    var writer = JSONWriter(isForTerminal: console.isTerminal)
    CanonicalJSON.append(object.members, to: &writer)
    try console.output.writeText(writer.text)
    return .success
  }
}
