internal import BinaryCoding

extension SchemaHistory {
  /// Why apps of versions since `version` would not get along in the way of `mode`; empty when they
  /// do. Always transitive: every version after it is looked at. Costs no data.
  ///
  /// - Throws: ``SchemaError/invalidHistory(_:)``; a valid history is backward compatible.
  ///   ``SchemaError/unknownVersion(version:oldest:latest:)`` when the history does not have it.
  public func check(
    _ mode: CompatibilityMode, since version: SchemaVersion
  ) throws(SchemaError) -> [Incompatibility] {
    let known = try shape(at: version)
    let later = operations.filter { $0.version > version }
    return switch mode {
    case .backward: []
    case .forward, .full:
      later.compactMap(\.forward.incompatibility)
        + known.types.flatMap { missingMembers(of: $0, since: version) }
    case .additive: later.compactMap(\.forward.unshareable)
    }
  }

  /// What an app of version `version` can do with records of `type` that this history's last
  /// version wrote.
  public func forwardGrade(
    of type: TypeIdentity, since version: SchemaVersion
  ) -> ForwardGrade {
    guard !barriers(after: version).contains(where: { $0.types.contains(type) }) else {
      return .refused
    }
    if let known = derived[version]?.shape.type(type),
      !missingMembers(of: known, since: version).isEmpty
    {
      return .refused
    }
    // Barriers are told by the types that they touch; one of code may be called like another type.
    return operations.filter {
      $0.version > version && $0.type == type && $0.operationClass != .barrier
    }
    .map(\.forward.grade).max() ?? .full
  }
}
