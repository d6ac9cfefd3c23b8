public import CoreMetrics
public import LogStore
public import Logging

/// Tells a logger and a metrics system what happens to a store.
///
///     var configuration = StoreConfiguration()
///     configuration.log.observer = TelemetryObserver()
///
/// The logger writes what an operator may have to act on, never keys or values. Both systems do
/// nothing until the application sets them up. Safe on any thread.
public final class TelemetryObserver: StoreObserver {
  private let logger: Logger
  private let meters: TelemetryMeters

  /// An observer that writes to `logger` and counts in what `metrics` makes.
  ///
  /// - Parameters:
  ///   - logger: its label is `logstore` unless given.
  ///   - metrics: the one that the application set up unless given.
  ///   - dimensions: what tells this store's metrics from another's.
  public init(
    logger: Logger = Logger(label: "logstore"), metrics: any MetricsFactory = MetricsSystem.factory,
    dimensions: [(String, String)] = []
  ) {
    self.logger = logger
    meters = TelemetryMeters(metrics, dimensions)
  }

  public func observe(_ event: StoreEvent) {
    meters.count(event)
    log(event)
  }

  private func log(_ event: StoreEvent) {
    switch event {
    case .opened(let path, let report): logOpening(path, report)
    case .committed(let commits, let records, let bytes):
      logger.trace(
        "committed",
        metadata: ["commits": "\(commits)", "records": "\(records)", "bytes": "\(bytes)"])
    case .synchronized(let nanoseconds):
      logger.trace("synchronized", metadata: ["microseconds": "\(nanoseconds / 1000)"])
    case .sealed(let segment, let bytes):
      logger.debug("sealed a segment", metadata: ["segment": "\(segment)", "bytes": "\(bytes)"])
    case .repaired(let segment):
      logger.notice(
        "copied what was recovered to a segment of its own", metadata: ["segment": "\(segment)"])
    case .damaged(let report):
      logger.error(
        "\(report)", metadata: ["file": "\(report.file)", "offset": "\(report.offset)"])
    case .footerRebuilt(let segment):
      logger.warning(
        "made a damaged index anew from its records; check the disk",
        metadata: ["segment": "\(segment)"])
    case .compacted(let inputs, let outputs, let before, let after):
      logger.info(
        "published a compaction",
        metadata: [
          "inputs": "\(inputs)", "outputs": "\(outputs)", "bytesBefore": "\(before)",
          "bytesAfter": "\(after)",
        ])
    case .diskFull(let error): logger.error("\(error)")
    case .poisoned(let error):
      logger.critical(
        "the store takes no more writes: close it, check the disk, and open it again",
        metadata: ["cause": "\(error)"])
    case .historyEdited(let edited, let revised):
      logger.warning(
        "operations were edited after they shipped; restore them, put changes into a new version",
        metadata: [
          "edited": "\(edited.joined(separator: " "))",
          "revised": "\(revised.joined(separator: " "))",
        ])
    case .indexesIncomplete(let names):
      logger.notice(
        "indexes are not complete, so look-ups read all objects; build them in the background",
        metadata: ["indexes": "\(names.joined(separator: " "))"])
    case .undescribed(let collections, let records):
      logger.error(
        "objects cannot be read, as what describes them is lost; restore the store from a backup",
        metadata: ["collections": "\(collections)", "records": "\(records)"])
    case .slowMigration(let type, let operation, let nanoseconds):
      logger.notice(
        "upgrading an object took long; migrate the store in the background",
        metadata: [
          "type": "\(type)", "operation": "\(operation)",
          "microseconds": "\(nanoseconds / 1000)",
        ])
    case .closed: logger.info("closed")
    @unknown default: logger.debug("\(event)")
    }
  }

  private func logOpening(_ path: String, _ report: RecoveryReport) {
    if let damage = report.rebuiltManifest {
      logger.warning(
        "made a damaged manifest anew from the segments; check the disk",
        metadata: [
          "path": "\(path)", "file": "\(damage.file)", "offset": "\(damage.offset)",
          "reason": "\(damage.reason)",
        ])
    }
    var metadata: Logger.Metadata = [
      "path": "\(path)", "commitsReplayed": "\(report.replayedCommitCount)",
      "recordsReplayed": "\(report.replayedRecordCount)",
    ]
    switch report.tail {
    case .clean: logger.info("opened", metadata: metadata)
    case .open: logger.notice("opened after it was not closed", metadata: metadata)
    case .torn(let offset, let reason):
      metadata["offset"] = "\(offset)"
      metadata["reason"] = "\(reason)"
      logger.notice(
        "opened, without an incomplete commit at the end, which was never durable",
        metadata: metadata)
    }
  }
}
