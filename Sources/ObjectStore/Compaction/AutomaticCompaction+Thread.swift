extension AutomaticCompaction {
  /// Traps with a sentence where code that a step runs would wait for the end of that step.
  func expectOutsideStep(_ purpose: String) {
    guard !isOwnThread else {
      fatalError("\(purpose) must not begin inside a step of the store's compaction")
    }
  }
}
