internal import LogStore

extension Console {
  /// Says for people that a store was opened without its manifest.
  func noteRecovery(_ report: RecoveryReport, json: Bool) {
    guard !json, let damage = report.rebuiltManifest else { return }
    note(
      "Note: \(damage.file) is damaged (\(damage.reason)); it was rebuilt from the log, and the "
        + "next write replaces it")
  }
}

extension RecoveryReport {
  /// What was wrong with the manifest, for programs; null where it was read.
  var manifestDamage: ImportValue { rebuiltManifest.map { .text($0.reason) } ?? .null }
}
