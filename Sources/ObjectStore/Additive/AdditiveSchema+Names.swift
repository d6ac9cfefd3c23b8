internal import SchemaRegistry

/// Members keep their names, as apps know them by these.
extension AdditiveSchema {
  /// Refuses an addition that is a rename to the model: the values would stay under the old name,
  /// hidden from it, and nothing would tell.
  func checkNames(
    of member: String, in type: TypeShape, _ model: DeclaredModels.Declared, _ known: TypeShape
  ) throws(StoreError) {
    let former = model.formerNames(of: member).first { former in
      known.index(ofMember: former) != nil && type.index(ofMember: former) == nil
    }
    guard let former else { return }
    throw .conflictingSettings(
      "\(type.name).\(member) was called \(former), which the store has; with evolution: .additive "
        + "members keep their names, as other apps know them by these. Call it \(former), or take "
        + "that former name away, so that \(member) is added beside it")
  }
}
