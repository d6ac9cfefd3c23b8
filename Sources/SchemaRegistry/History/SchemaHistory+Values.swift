internal import BinaryCoding

/// What an index needs to know of a history: whether what it holds of a member is still so.
extension SchemaHistory {
  /// Whether a version behind `first`, up to `last`, changes what a member of stored records holds.
  ///
  /// Renaming a member or making it optional does not, nor does dropping objects. Code for whole
  /// records, and barriers, count as changing every member.
  public func changesValues(
    of member: MemberIdentity, in type: TypeIdentity, after first: SchemaVersion,
    through last: SchemaVersion
  ) -> Bool {
    lastChange(of: member, in: type, after: first, through: last) != nil
  }

  /// The last version behind `first`, up to `last`, that changes what a member of stored records
  /// holds; nothing when none does.
  package func lastChange(
    of member: MemberIdentity, in type: TypeIdentity, after first: SchemaVersion,
    through last: SchemaVersion
  ) -> SchemaVersion? {
    let changing = derived.values.filter { version in
      guard version.shape.version > first, version.shape.version <= last else { return false }
      if version.barriers.contains(where: { $0.types.contains(type) }) { return true }
      return version.transitions[type]?.operations.contains { $0.mayChange(member) } ?? false
    }
    return changing.map(\.shape.version).max()
  }

  /// A sum over every operation on a type up to `version`: equal when its members are computed in
  /// the same way from all records.
  public func fingerprint(
    of type: TypeIdentity, through version: SchemaVersion
  ) -> ShapeFingerprint {
    var writer = ByteWriter()
    for operation in operations where operation.type == type && operation.version <= version {
      writer.writeString(operation.id)
      writer.writeInteger(operation.parameterHash)
      // A mended closure gives other values.
      if operation.revision > 1 { writer.writeInteger(operation.revision) }
    }
    return ShapeFingerprint(of: writer.bytes)
  }
}

extension ResolvedOperation {
  /// Whether the operation may give `member` another value than it had.
  fileprivate func mayChange(_ member: MemberIdentity) -> Bool {
    switch kind {
    case .set(let changed, _), .fill(let changed, _), .widen(let changed, _),
      .compute(let changed, _, _, _, _), .transform(let changed, _):
      changed == member
    case .remove, .drop: false
    case .rewrite: true
    }
  }
}
