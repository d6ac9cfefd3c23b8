/// What became of a merge.
enum MergeOutcome {
  /// With what the pages of the run take.
  case merged(RunDescriptor, PageSpread)
  /// Nothing was left of what was merged, or it was given up.
  case nothing
  /// There can be no such run; from now on merges are smaller, or leave some indexes out.
  case refused

  var descriptor: RunDescriptor? {
    if case .merged(let descriptor, _) = self { descriptor } else { nil }
  }
}
