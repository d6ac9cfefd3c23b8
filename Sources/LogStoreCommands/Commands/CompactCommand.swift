public import ArgumentParser
internal import ObjectStore
internal import SchemaRegistry

/// `logstore compact STORE`: makes upgrades permanent and gives space back.
///
/// Public, so that an app can put it among its own commands: the history comes from `History`.
public struct CompactCommand<History: HistoryProvider>: StoreCommand {
  /// The command's name and help.
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "compact",
      abstract: "Make upgrades permanent and give the space of dead records back.",
      discussion: """
        With a history, every record is brought to its last version while it is copied. Types \
        whose upgrade needs the code of an app stay as they are and are named. A record whose \
        upgrade fails stays as it is and is listed; the command ends with status 7 then. It can \
        be killed at any moment; running it again finishes the work. Barriers of the history that \
        are pending run first, in one transaction, when the store is opened.

        Sizes are bytes, or have a suffix: 64K, 20M, 1.5G.
        """)
  }

  @Argument(help: "The directory of the store.") var store: String
  @Flag(help: "Only show what would be done.") var dryRun = false
  @Option(help: "What comes first: everything (oldest first), costBenefit, or greedy.")
  var policy: PolicyName?
  @Option(help: "Stop when all files together have about this size, with the least writing.")
  var toSize: ByteSize?
  @Flag(help: "Rewrite only what holds records of old schema versions.") var upgradeOnly = false
  @Option(help: "Bytes of live records to copy in a second, at most; barriers keep to it roughly.")
  var ioLimit: ByteSize?
  @OptionGroup var history: History
  @OptionGroup var reporting: ReportingOptions

  /// A command whose arguments are not set yet, for the argument parser.
  public init() {}

  /// Compacts the store that the arguments name, and reports on the standard streams.
  public mutating func run() throws {
    let status = execute(.standard())
    if status != .success { throw ExitCode(status.rawValue) }
  }

  /// Refuses options that ask for different things.
  public func validate() throws {
    let asked = [policy != nil, toSize != nil, upgradeOnly].count { $0 }
    guard asked <= 1 else {
      throw ValidationError("Give one of --policy, --to-size and --upgrade-only.")
    }
    guard ioLimit?.byteCount != 0 else { throw ValidationError("--io-limit must be positive.") }
  }

  private var chosenPolicy: CompactionPolicy {
    if let toSize { return .toSize(toSize.byteCount) }
    if upgradeOnly { return .upgradesOnly }
    return policy?.policy ?? .everything
  }

  private var pace: CompactionPace {
    CompactionPace(byteCountPerSecond: ioLimit?.byteCount, processorShare: 1)
  }

  private func showPlan(_ history: SchemaHistory?, on console: Console) throws -> ExitStatus {
    let opened: Store
    do throws(StoreError) {
      opened = try Store.open(at: store, history: history, configuration: .inspection)
    } catch .barrierPending(let estimate) {
      throw CommandError.barrierBeforePlan(estimate)
    }
    console.noteRecovery(opened.recoveryReport, json: reporting.json)
    let plan = try opened.compactionPlan(chosenPolicy)
    let statistics = try opened.statistics()
    let text = CompactionPlanText(
      plan: plan, byteCount: statistics.log.fileByteCount,
      segmentByteCount: statistics.log.byteCount,
      keepsTombstones: chosenPolicy.goal != .everything,
      seconds: plan.isEmpty ? 0 : try CompactionEstimate(opened).seconds(of: plan, pace: pace),
      typesNeedingCode: try opened.typesNeedingCode(),
      undescribed: UndescribedObjects.all(in: statistics))
    var report = text.report
    report["manifestDamage"] = opened.recoveryReport.manifestDamage
    try write(report, text.lines, on: console)
    return .success
  }

  func perform(_ console: Console) throws -> ExitStatus {
    let history = try history.history()
    if dryRun { return try showPlan(history, on: console) }
    var passage = BarrierPassage.pending(at: store, history: history)
    let opened = try open(history, passing: &passage, on: console)
    console.noteRecovery(opened.recoveryReport, json: reporting.json)
    let bar = console.progressBar("Compacting", json: reporting.json)
    defer { bar.finish() }
    let report = try opened.compact(chosenPolicy, pace: pace) { progress in
      bar.update(
        Progress(
          completed: progress.recordCount, total: progress.recordCountTotal,
          objectCount: progress.recordCount))
      return true
    }
    bar.finish()
    let text = CompactionText(
      path: store, report: report, typesNeedingCode: try opened.typesNeedingCode(),
      manifestDamage: opened.recoveryReport.manifestDamage, passage: passage,
      undescribed: UndescribedObjects.all(in: opened))
    return try text.tell(on: console, json: reporting.json) { try opened.close() }
  }

  private func open(
    _ history: SchemaHistory?, passing passage: inout BarrierPassage?, on console: Console
  ) throws(StoreError) -> Store {
    let bar = console.progressBar("Passing barriers", json: reporting.json)
    defer { bar.finish() }
    if let opened = try passage?.open(store, history: history, pace: pace, bar: bar) {
      return opened
    }
    return try Store.open(at: store, history: history, configuration: .maintenance)
  }

  private func write(_ report: Report, _ lines: [String], on console: Console) throws {
    if reporting.json {
      try console.write(report)
    } else {
      for line in lines { try console.output.writeLine(line) }
    }
  }
}
