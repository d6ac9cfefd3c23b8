/// Renames of members: the one operation whose rules look at a whole version.
///
/// Renames of one version act together, so that names can be swapped: a rename may take the name of
/// a member that a later rename of the same run gives another name. Until then that member is
/// displaced, and the next rename from its name means it.
extension HistoryDerivation {
  mutating func rename(
    _ name: String, to new: String, as wanted: FieldType?, fill: Value?, id: String, in type: Int
  ) {
    guard let member = memberToRename(name, id, type) else { return }
    guard name != new, SchemaLimits.isValidName(new) else {
      report(
        id, path(name, type),
        "\(path(name, type)) cannot be renamed to \"\(new)\": the name is the same or not valid.",
        "Choose another name.")
      return
    }
    let identity = types[type].members[member].identity
    if let wanted, !retype(member, as: wanted, fill: fill, to: new, id: id, in: type) { return }
    types[type].displaced.removeAll { $0 == identity }
    if let holder = types[type].index(named: new) {
      types[type].displaced.append(types[type].members[holder].identity)
    }
    types[type].members[member].name = new
    types[type].removedNames.insert(name)
    types[type].removedNames.remove(new)
    types[type].renamings.append(
      TypeState.Renaming(operationID: id, old: name, new: new, member: identity))
  }

  /// The member that a rename from `name` means: a displaced one first.
  private mutating func memberToRename(_ name: String, _ id: String, _ type: Int) -> Int? {
    let state = types[type]
    for identity in state.displaced {
      if let index = state.index(of: identity), state.members[index].name == name { return index }
    }
    return member(name, id, type)
  }

  /// Applies a new optionality; reports another value type and a missing fill.
  private mutating func retype(
    _ member: Int, as wanted: FieldType, fill: Value?, to new: String, id: String, in type: Int
  ) -> Bool {
    let old = types[type].members[member]
    let places = "\(path(old.name, type)) and \(path(new, type))"
    guard !isKey(member, id, type) else { return false }
    guard Widening.isSame(old.type.unwrapped, wanted.unwrapped) else {
      report(
        id, path(old.name, type),
        "\(places) have different types: \(old.type) and \(wanted).",
        "Rename first, then use Convert(\"\(new)\", to: …).")
      return false
    }
    if old.type.isOptional, !wanted.isOptional {
      guard let fill else {
        report(
          id, path(old.name, type),
          "\(path(old.name, type)) is optional and \(path(new, type)) is required, so nil has "
            + "no place.",
          "Write Rename(\"\(old.name)\", to: \"\(new)\", as: …, fill: …).")
        return false
      }
      guard fill.isValid(for: old.type.unwrapped) else {
        report(
          id, path(old.name, type), "The fill of \(places) is not a \(old.type.unwrapped).",
          "Write a fill of the member's type.")
        return false
      }
      checkIsCase(fill, "fill", of: member, id, type)
      append(.fill(old.identity, fill.completed(for: old.type.unwrapped)), id, type)
      types[type].members[member].type = old.type.unwrapped
    } else if wanted.isOptional {
      types[type].members[member].type = old.type.madeOptional
    }
    return true
  }

  /// Reports every member whose name was taken by a rename and that got no other name.
  mutating func reportDisplaced(_ type: Int, id: String) {
    for identity in types[type].displaced {
      guard let index = types[type].index(of: identity) else { continue }
      let name = types[type].members[index].name
      let renaming = types[type].renamings.last { $0.new == name }
      report(
        renaming?.operationID ?? id, path(name, type),
        "\(path(renaming?.old ?? name, type)) cannot be renamed to \(name): \(path(name, type)) "
          + "exists already.",
        "Remove or rename \(name) first, or choose another name.")
      types[type].members.remove(at: index)
    }
    types[type].displaced = []
  }

  /// Rules that can be checked only when every operation of the version has run.
  mutating func checkEndOfVersion(_ type: Int) {
    for renaming in types[type].renamings {
      let places = "\(path(renaming.old, type)) and \(path(renaming.new, type))"
      guard types[type].index(of: renaming.member) != nil else {
        report(
          renaming.operationID, path(renaming.new, type),
          "\(places): the member is renamed and then removed in the same version.",
          "Remove \(renaming.old) without renaming it.")
        continue
      }
      if let holder = types[type].index(named: renaming.old),
        types[type].members[holder].identity.introducedIn == version
      {
        report(
          renaming.operationID, path(renaming.old, type),
          "\(places): \(renaming.old) is renamed but still present in version \(version).",
          "Introduce the new \(renaming.old) in the next version.")
      }
    }
  }
}
