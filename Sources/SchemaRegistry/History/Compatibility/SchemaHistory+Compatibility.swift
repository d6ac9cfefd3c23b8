extension SchemaHistory {
  /// Why apps of versions since `version` would not get along in the way of `mode`; empty when they
  /// do. Always transitive: every version after it is looked at. Costs no data.
  ///
  /// - Throws: ``SchemaError/invalidHistory(_:)``; a valid history is backward compatible.
  ///   ``SchemaError/unknownVersion(version:oldest:latest:)`` when the history does not have it.
  public func check(
    _ mode: CompatibilityMode, since version: SchemaVersion
  ) throws(SchemaError) -> [Incompatibility] {
    _ = try shape(at: version)
    let later = operations.filter { $0.version > version }
    return switch mode {
    case .backward: []
    case .forward, .full: later.compactMap(\.forward.incompatibility)
    case .additive: later.compactMap(\.forward.unshareable)
    }
  }

  /// The same against an earlier form of this history, as committed when it shipped: also finds
  /// shipped operations that were edited, shapes and declared cases that changed, and a base that
  /// came too far.
  public func check(
    _ mode: CompatibilityMode, against shipped: SchemaHistory
  ) throws(SchemaError) -> [Incompatibility] {
    try validate()
    try shipped.validate()
    let last = shipped.latestVersion
    guard base.version <= last, latestVersion >= last else {
      return [
        Incompatibility(
          code: .chainGap, operationID: "base \(base.version)", place: "version \(last)",
          version: base.version,
          reason: "Records of version \(last) have no way to version \(latestVersion).",
          suggestion: "Keep the versions from \(last) on.")
      ]
    }
    let edited = comparison(with: shipped.ledger(through: last)).edited.map { id in
      Incompatibility(
        code: .operationEdited, operationID: id, place: id, version: last,
        reason: "The operation was edited after it shipped.",
        suggestion: "Restore it, and put the change into a new version.")
    }
    let suggestion = "Put the change into a new version."
    let changed = try shipped.shape(at: last).differences(
      to: try shape(at: last), includingTypes: true
    ).map { difference in
      Incompatibility(
        code: .schemaChanged, operationID: "v\(last)", place: difference.typeName, version: last,
        reason: "\(difference).", suggestion: suggestion)
    }
    // No hash knows what a declaration says; one that was not there when it shipped is free.
    let cases = CaseDifference.between(try shipped.cases(at: last), try self.cases(at: last)).map {
      Incompatibility(
        code: .enumCaseMissing, operationID: "v\(last)", place: "\($0.type).\($0.member)",
        version: last, reason: "\($0).", suggestion: suggestion)
    }
    return edited + changed + cases + (try check(mode, since: last))
  }

  /// What an app of version `version` can do with records of `type` that this history's last
  /// version wrote.
  public func forwardGrade(
    of type: TypeIdentity, since version: SchemaVersion
  ) -> ForwardGrade {
    guard !barriers(after: version).contains(where: { $0.types.contains(type) }) else {
      return .refused
    }
    return operations.filter { $0.version > version && $0.type == type }
      .map(\.forward.grade).max() ?? .full
  }
}
