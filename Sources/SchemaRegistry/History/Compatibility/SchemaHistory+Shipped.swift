internal import BinaryCoding

/// Histories beside the form in which they shipped.
extension SchemaHistory {
  /// What ``check(_:since:)`` finds since the last version of `shipped`, an earlier form of this
  /// history as committed when it shipped, and what was edited: operations, also in what they say
  /// for older apps; shapes; declared cases and links; what came before; and a base that came too
  /// far.
  ///
  /// What cannot be compared is no finding: see ``checkLimits(against:)``.
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
    let changed = try shipped.shape(at: last).differences(
      to: try shape(at: last), includingTypes: true
    ).map { difference in
      Incompatibility(
        code: .schemaChanged, operationID: "v\(last)", place: difference.typeName, version: last,
        reason: "\(difference).", suggestion: Self.newVersion)
    }
    return edits(since: shipped) + wayBackEdits(since: shipped) + changed
      + (try declarationEdits(since: shipped)) + (try check(mode, since: last))
  }

  private static let newVersion = "Put the change into a new version."

  private func edits(since shipped: SchemaHistory) -> [Incompatibility] {
    let last = shipped.latestVersion
    var ids = comparison(with: shipped.ledger(through: last)).edited
    if ids.isEmpty, let version = otherPast(than: shipped) { ids = ["base \(version)"] }
    return ids.map { id in
      if id.contains("/") {
        return Incompatibility(
          code: .operationEdited, operationID: id, place: id, version: last,
          reason: "The operation was edited after it shipped.",
          suggestion: "Restore it, and put the change into a new version.")
      }
      // A whole version, as in `v2` or `base 2`.
      let version = "version \(id.drop { !$0.isNumber })"
      return Incompatibility(
        code: .operationEdited, operationID: id, place: version, version: last,
        reason:
          "The fingerprint of \(version) is another than when it shipped, so something before "
          + "it or in it was edited.",
        suggestion: "Restore that, and put the change into a new version.")
    }
  }

  /// The first version that both have, where its fingerprint is none that it ever had here.
  private func otherPast(than shipped: SchemaHistory) -> SchemaVersion? {
    let first = max(base.version, shipped.base.version)
    guard !base.lacksPast, !shipped.base.lacksPast,
      let known = formerFingerprints(through: first)[first], known.isComplete,
      let met = shipped.derived[first]?.fingerprint, !known.values.contains(met)
    else { return nil }
    return first
  }

  /// No hash knows what an operation says for older apps, and stores keep what they met first.
  private func wayBackEdits(since shipped: SchemaHistory) -> [Incompatibility] {
    var own: [String: OperationDescription] = [:]
    for operation in operations { own[operation.id] = operation }
    return shipped.operations.compactMap { old in
      guard let new = own[old.id], new.parameterHash == old.parameterHash,
        new.wayBackHash != old.wayBackHash
      else { return nil }
      return Incompatibility(
        code: .operationEdited, operationID: old.id, place: old.typeName, version: old.version,
        reason: "What older apps read in place of what it takes or changes was edited after it "
          + "shipped; stores keep what they recorded of version \(old.version).",
        suggestion: "Restore its readAs or inverse as they shipped.")
    }
  }

  /// No hash knows what a declaration says; one that was not there when it shipped is free.
  ///
  /// Each member is found once, in the last version in which it differs.
  private func declarationEdits(
    since shipped: SchemaHistory
  ) throws(SchemaError) -> [Incompatibility] {
    var found: [Incompatibility] = []
    for version in shipped.derived.keys.reversed() where derived[version] != nil {
      func edit(
        _ code: Incompatibility.Code, _ type: String, _ member: String, _ reason: String
      ) -> Incompatibility {
        Incompatibility(
          code: code, operationID: "v\(version)", place: "\(type).\(member)", version: version,
          reason: reason, suggestion: Self.newVersion)
      }
      let (old, new) = (try shipped.cases(at: version), try cases(at: version))
      let shape = try shape(at: version)
      let gone = old.filter { old in
        shape.fieldType(of: old.type, at: old.member) != nil
          && !new.contains { $0.type == old.type && $0.member == old.member }
      }
      let links = try shipped.linkDifferences(at: version, to: self, at: version)
      let edits =
        CaseDifference.between(old, new).map {
          edit(.enumCaseMissing, $0.type, $0.member, "\($0).")
        }
        + gone.map {
          edit(
            .enumCaseMissing, $0.type, $0.member,
            "\($0.type).\($0.member) has no declared cases any more.")
        }
        + links.filter { $0.from != nil }.map {
          edit(.schemaChanged, $0.type, $0.member, "\($0).")
        }
      let known = found
      found += edits.filter { new in !known.contains { $0.place == new.place } }
    }
    return found
  }
}
