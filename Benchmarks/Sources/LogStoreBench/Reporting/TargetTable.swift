/// Every target of the workloads that were run, and what was reached of it.
struct TargetTable {
  let results: Results

  /// The head and a row for each target; nothing without targets. What is reached ends with ✓.
  var rows: [[String]] {
    let rows = results.workloads.flatMap { workload in
      (Target.all[workload] ?? []).compactMap { target -> [String]? in
        guard let verdict = target.verdict(workload, in: results) else { return nil }
        return [
          workload, verdict.subject, verdict.target, verdict.reached,
          verdict.best, verdict.isReached ? "✓" : "✗",
        ]
      }
    }
    return rows.isEmpty
      ? [] : [["workload", "engine", "target", "reached", "beside the best", ""]] + rows
  }
}
