internal import ObjectStore

extension Console {
  /// Says for people that a store was opened without its manifest.
  func noteRecovery(of store: Store, json: Bool) {
    guard !json, let damage = store.recoveryReport.rebuiltManifest else { return }
    note(
      "Note: \(damage.file) is damaged (\(damage.reason)); it was rebuilt from the log, and the "
        + "next write replaces it")
  }
}
