internal import BinaryCoding

/// A barrier after the history was checked.
package struct ResolvedBarrier: Sendable {
  /// Stable once shipped: `v4/Person/1` for a change of keys, `v4/barrier:name` for code.
  package let id: String
  /// The version that it belongs to.
  package let version: SchemaVersion
  /// The version before, to whose shape records are brought for a change of keys.
  package let previous: SchemaVersion
  /// The types whose records it reads or writes.
  package let types: [TypeIdentity]
  /// What it does.
  package let step: BarrierStep
}

extension SchemaHistory {
  /// The barriers that a store whose highest version is `stored` has not passed, in order.
  package func barriers(after stored: SchemaVersion) -> [ResolvedBarrier] {
    versions.filter { $0.number > stored }.flatMap { derived[$0.number]?.barriers ?? [] }
  }

  /// Throws when records of `type` cannot get from one version to another by themselves: each
  /// barrier between brought all of them along when it ran, unless it is the one that runs now.
  func checkBarriers(
    of type: TypeIdentity, from: SchemaVersion, to: SchemaVersion, running: SchemaVersion?
  ) throws(SchemaError) {
    for version in versions where version.number > from && version.number <= to {
      guard version.number != running,
        let barrier = derived[version.number]?.barriers.first(where: { $0.types.contains(type) })
      else { continue }
      throw .barrierNotRun(type: type.originalName, operationID: barrier.id)
    }
  }
}
