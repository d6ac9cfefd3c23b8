internal import BinaryCoding

extension SchemaHistory {
  /// How records of `type` stored in `source` under `from` become records of `target` under `to`.
  ///
  /// Both shapes may order members in their own way; their meaning is compared with the history's.
  /// `checkingPurity` runs every closure twice and makes a step fail whose results differ. Made
  /// from shapes alone; the cost grows with the number of operations in between.
  public func upgradePlan(
    for type: TypeIdentity, from: SchemaVersion, source: TypeShape, to: SchemaVersion,
    target: TypeShape, checkingPurity: Bool = false
  ) throws(SchemaError) -> UpgradePlan {
    try upgradePlan(
      for: type, from: from, source: source, to: to, target: target,
      checkingPurity: checkingPurity, runningBarrier: nil)
  }

  /// The same while the barriers of the version `runningBarrier` run, for which it brings records
  /// to that version; with `keepsDropped` no condition drops a record.
  package func upgradePlan(
    for type: TypeIdentity, from: SchemaVersion, source: TypeShape, to: SchemaVersion,
    target: TypeShape, checkingPurity: Bool = false, runningBarrier: SchemaVersion?,
    keepsDropped: Bool = false
  ) throws(SchemaError) -> UpgradePlan {
    guard from <= to else { throw .storeIsNewer(stored: from, requested: to) }
    _ = try shape(at: from)
    _ = try shape(at: to)
    guard let first = derived[from], let last = derived[to] else {
      throw .unknownVersion(version: from, oldest: base.version, latest: latestVersion)
    }
    try checkBarriers(of: type, from: from, to: to, running: runningBarrier)
    let transitions =
      versions
      .filter { $0.number > from && $0.number <= to }
      .compactMap { derived[$0.number]?.transitions[type] }
      .map { keepsDropped ? $0.keepingDropped : $0 }
    return try UpgradePlan(
      type: type, from: first, source: source, to: last, target: target, transitions: transitions,
      checksPurity: checkingPurity)
  }
}
