internal import ArgumentParser
internal import ObjectStore

/// `logstore dump STORE`: every object as canonical JSON lines, in key order.
struct DumpCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "dump", abstract: "Print objects as lines of JSON, in the order of their keys.",
      discussion: """
        With --history, equal objects give equal lines, whatever versions they were written \
        under, each in the newest shape; without, each is printed in the shape of its version, \
        and standard error says where a type has several. On a terminal characters that it would \
        obey are written as \\uXXXX. With --type, or when the store has one type, each line is an \
        object of its shape that import takes back, unless it is longer than 64 MiB; otherwise \
        types follow one another by name, and each line is {"object": ..., "type": ...}.

        An object whose upgrade fails is reported on standard error and left out; the command \
        goes on, and ends with status 7. So are objects that nothing describes any more, as a \
        salvage may leave them; without --type it ends with status 2 then.
        """)
  }

  static var endsWithReader: Bool { true }

  @Argument(help: "The directory of the store.") var store: String
  @Option(help: "Print objects of this type only.") var type: String?
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try history.history()
    let store = try Store.open(at: store, history: history, configuration: .inspection)
    console.noteRecovery(store.recoveryReport, json: reporting.json)
    if type == nil, !reporting.json {
      for objects in RemovedObjects.all(in: store) { console.note("\(objects), and not shown") }
    }
    let types = try type.map { [try store.type($0)] } ?? store.sortedTypes
    if history == nil, !reporting.json {
      for objects in MixedObjects.all(of: types, in: store) { console.note("\(objects)") }
    }
    let snapshot = store.snapshot()
    var status = ExitStatus.success
    for shape in types {
      let objects = try snapshot.objects(ofType: shape.name)
      let isComplete = try dump(objects, wrapped: types.count > 1, on: console)
      if !isComplete { status = .migration }
    }
    guard type == nil else { return status }
    // Behind all that can be shown.
    for objects in UndescribedObjects.all(in: store) {
      console.report(.undescribed(objects), json: reporting.json)
      status = .corruption
    }
    return status
  }

  /// Prints all objects of a type; false when the upgrade of some failed.
  private func dump(
    _ objects: DynamicObjectCursor, wrapped: Bool, on console: Console
  ) throws -> Bool {
    var isComplete = true
    while true {
      switch Result(catching: { () throws(StoreError) in try objects.next() }) {
      case .success(nil):
        return isComplete
      case .success(let object?):
        try write(object, wrapped: wrapped, on: console)
      case .failure(let error):
        let error = CommandError(error)
        guard error.status == .migration else { throw error }
        isComplete = false
        console.report(error, json: reporting.json)
      }
    }
  }

  private func write(
    _ object: DynamicObject, wrapped: Bool, on console: Console
  ) throws(OutputError) {
    var writer = JSONWriter(isForTerminal: console.isTerminal)
    if wrapped { writer.append(raw: #"{"object":"#) }
    CanonicalJSON.append(object.members, to: &writer)
    if wrapped {
      writer.append(raw: #","type":"#)
      writer.append(object.typeName)
      writer.append(raw: "}")
    }
    writer.append(raw: "\n" as Unicode.Scalar)
    try console.output.write(writer.bytes)
  }
}
