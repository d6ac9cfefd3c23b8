internal import ArgumentParser
internal import FileIO
internal import ObjectStore
internal import SchemaRegistry

/// `logstore import STORE`: objects from JSON Lines, CSV or TSV.
struct ImportCommand<History: HistoryProvider>: StoreCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "import", abstract: "Store the objects of a JSON Lines, CSV or TSV file.",
      discussion: """
        An object takes the place of the one with the same key. The members of a new type are \
        declared by a history, or inferred from all rows of the input with --infer; an input that \
        can be read only once, such as a pipe, is kept in a temporary file meanwhile. Later \
        imports take the stored shape.

        Objects are committed in batches; a row that does not fit ends the import with its line \
        number, and nothing of its batch is stored. The store is created when it is missing. Where \
        nobody reads what it prints any more, it goes on all the same.
        """)
  }

  @Argument(help: "The directory of the store.") var store: String
  @Option(help: "The name of the objects' type.") var type: String
  @Option(help: "The member that identifies an object; needed with --infer.") var key: String?
  @Option(help: "jsonl, csv or tsv; told by the file's name when not given, else jsonl.")
  var format: ImportFormat?
  @Flag(help: "Infer the members of a new type from the input.") var infer = false
  @Option(help: "Objects of one commit; it is ended earlier after 16 MiB of input.")
  var batch = 1000
  @Flag(
    help: "Print \"ACK n\", or {\"ack\":n} with --json, whenever n objects in all are durable.")
  var ack = false
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions
  @Argument(help: "The file to read, or - for standard input.") var file = "-"

  func validate() throws {
    guard (1...1_000_000).contains(batch) else {
      throw ValidationError("--batch must be from 1 to 1,000,000.")
    }
  }

  func perform(_ console: Console) throws -> ExitStatus {
    let start = ContinuousClock.now
    let source = try ImportSource(file, format: format, console: console)
    let bar = console.progressBar("Importing", json: reporting.json)
    defer { bar.finish() }
    let request = ImportTarget.Request(
      path: store, type: type, key: key, infersShape: infer, history: try history.history())
    var rowCount: UInt64?
    let target = try ImportTarget.open(
      request, check: { try check(source, $0) },
      infer: { key in
        let inference = try infer(from: source)
        rowCount = UInt64(inference.rowCount)
        return try inferredShape(inference, key: key, on: console)
      })
    console.noteRecovery(target.store.recoveryReport, json: reporting.json)
    if infer, !target.isInferred, !reporting.json {
      console.note(
        "Note: the store has the type \(type) already; it is kept, and --infer does nothing")
    }
    if !reporting.json {
      for member in target.store.uncomparedUniqueMembers(ofType: type) {
        console.note(
          "Note: values of the unique member \(member) are not compared with those that objects "
            + "have; Store.buildIndexes() of the app lists what is there twice")
      }
    }
    let count = try importAll(source, into: target, expecting: rowCount, on: console, bar: bar)
    bar.finish()
    try report(count, target, in: ContinuousClock.now - start, on: console)
    return .success
  }

  /// Refuses a header that fits no object of `shape`; programs are told that none was stored.
  private func check(_ source: ImportSource, _ shape: TypeShape) throws {
    do { try ImportRun.check(shape, try source.rows(), source.format) } catch {
      throw CommandError.afterImporting(0, cause: CommandError(error))
    }
  }

  private func infer(from source: ImportSource) throws -> ShapeInference {
    let reader = source.format.reader(of: try source.sample())
    var inference = ShapeInference()
    while let row = try reader.next() { try inference.add(row) }
    return inference
  }

  private func inferredShape(
    _ inference: ShapeInference, key: String, on console: Console
  ) throws -> TypeShape {
    let shape = try inference.typeShape(named: type, key: key)
    if !reporting.json {
      console.note("Inferred from the input:")
      for line in ShapeText.lines(shape) { console.note("  " + line) }
    }
    return shape
  }

  /// Imports everything, which should be `rowCount` rows where they were counted, and closes the
  /// store; returns the number of objects.
  private func importAll(
    _ source: ImportSource, into target: ImportTarget, expecting rowCount: UInt64?,
    on console: Console, bar: ProgressBar
  ) throws -> UInt64 {
    var run = ImportRun(
      target, try source.rows(), format: source.format, batchCount: batch)
    do {
      try run.run { run in
        if ack {
          if reporting.json {
            try console.write(["ack": .count(run.importedCount)])
          } else {
            try console.output.writeLine("ACK \(run.importedCount)")
          }
          try console.output.flush()
        }
        bar.update(
          Progress(
            completed: run.reader.byteCountRead, total: source.byteCount,
            objectCount: run.importedCount))
      }
      if let rowCount, rowCount != run.importedCount {
        throw ImportError.inputChanged(inferredFrom: rowCount, imported: run.importedCount)
      }
      try target.store.close()
      return run.importedCount
    } catch {
      bar.finish()
      if !reporting.json {
        let rest = run.isWithinBatch ? "; nothing of its batch was" : ""
        console.note(
          "\(GroupedNumber(run.importedCount)) objects were imported before the error\(rest)")
      }
      // The error at hand says more than one of closing could.
      try? target.store.close()
      throw CommandError.afterImporting(run.importedCount, cause: CommandError(error))
    }
  }

  private func report(
    _ count: UInt64, _ target: ImportTarget, in duration: Duration, on console: Console
  ) throws {
    let seconds = duration / .seconds(1)
    let rate = seconds > 0 ? UInt64(exactly: (Double(count) / seconds).rounded()) ?? 0 : 0
    guard reporting.json else {
      return try console.output.writeLine(
        "Imported \(GroupedNumber(count)) objects of type \(type) under schema version "
          + "\(target.store.schemaVersion) in \(DurationText(duration)) "
          + "(\(GroupedNumber(rate)) objects/s)")
    }
    var report: Report = [
      "type": .text(type), "imported": .count(count), "seconds": .seconds(duration),
      "objectsPerSecond": .count(rate),
      "schemaVersion": .count(target.store.schemaVersion.rawValue),
      "manifestDamage": target.store.recoveryReport.manifestDamage,
    ]
    if target.isInferred { report["inferred"] = ShapeText.report(target.shape).value }
    try console.write(report)
  }
}

extension ImportFormat: ExpressibleByArgument {}
