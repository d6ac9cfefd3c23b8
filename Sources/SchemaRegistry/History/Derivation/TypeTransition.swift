/// What one version did to the records of one type.
struct TypeTransition: Sendable {
  let version: SchemaVersion
  /// The type before and after this version.
  let source: TypeShape
  let target: TypeShape
  /// In the order they run; may be empty when only names or optionality changed.
  let operations: [ResolvedOperation]
}

extension TypeTransition {
  /// The same without dropping records: conditions are computed, and nobody asks for the results.
  var keepingDropped: TypeTransition {
    // No member of a record has this name.
    let nobodys = MemberIdentity(introducedIn: version, originalName: "")
    return TypeTransition(
      version: version, source: source, target: target,
      operations: operations.map { operation in
        guard case .drop(let inputs, let condition) = operation.kind else { return operation }
        return ResolvedOperation(
          id: operation.id,
          kind: .compute(nobodys, type: .bool, inputs: inputs, condition, keepsNil: false))
      })
  }
}
