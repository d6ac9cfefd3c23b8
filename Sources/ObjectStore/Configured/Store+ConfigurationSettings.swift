internal import LogStore

extension Store.Configuration {
  /// The settings in which two openings of one store must agree, as texts by their names. Of what
  /// cannot be compared, as clocks are and closures, the first opening decides.
  var comparableSettings: [String: String] {
    let log = settings.log
    let policies = settings.failurePolicies.map { type, policy in
      switch policy {
      case .thrown: "\(type) thrown"
      case .skipped: "\(type) skipped"
      case .fallback: "\(type) fallback"
      }
    }
    return [
      "checksPurity": "\(settings.checksPurity)",
      "failurePolicies": "\(policies.sorted())",
      "log.compression": "\(log.compression)",
      "log.diskReserveByteCountMaximum": "\(log.diskReserveByteCountMaximum)",
      "log.indexCacheByteCount": "\(log.indexCacheByteCount)",
      "log.maintenance": "\(log.maintenance)",
      "log.observer": log.observer.map { "\(ObjectIdentifier($0))" } ?? "",
      "log.openFileMaximum": "\(log.openFileMaximum)",
      "log.readMode": "\(log.readMode)",
      "log.segmentByteCountMaximum": "\(log.segmentByteCountMaximum)",
      "log.segmentByteCountMinimum": "\(log.segmentByteCountMinimum)",
      "log.snapshotMaximumAge": log.snapshotMaximumAge.map { "\($0)" } ?? "",
      "log.transactionByteCountInMemory": "\(log.transactionByteCountInMemory)",
      "log.writeMode": "\(log.writeMode)",
      "slowMigrationBudget": settings.slowMigrationBudget.map { "\($0)" } ?? "",
    ]
  }
}
