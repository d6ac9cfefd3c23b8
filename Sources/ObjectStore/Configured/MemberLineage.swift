internal import SchemaRegistry

/// What a member of a model was in the versions of a store that are newer than old objects, as far
/// as its identities and what the model says that it was called tell.
///
/// A member that is renamed keeps its identity, but for one whose old name is used again at once,
/// and for one that becomes another type: these have an identity of their own since.
struct MemberLineage {
  /// The newest first.
  private(set) var identities: [MemberIdentity] = []
  /// The names that it had: none of them is what it was called before.
  private(set) var names: Set<String>
  /// What the oldest of the versions calls it.
  private(set) var firstName: String
  /// Whether one of the versions lacks it: it was new afterwards (R23).
  private(set) var isGivenUp = false
  /// Whether another one had its name there, which may be it, and would need no code.
  private(set) var isUnclear = false

  /// `meant` is what the current schema says that it is, `later` are the versions, ascending.
  /// One of the same name and another type was made it by code, unless it `isAnother`.
  init(
    of member: String, called formerNames: [String], meant: MemberIdentity?, later: [TypeShape],
    isAnother: (MemberIdentity) -> Bool = { _ in true }
  ) {
    (names, firstName) = ([member], member)
    guard let meant else { return }
    identities = [meant]
    for type in later.reversed() {
      let same = type.members.first { identities.contains($0.identity) }
      let namesake = type.members.first { $0.name == firstName }
      let isAlike = namesake.map(isReplacing) ?? false
      let retyped = namesake.flatMap { isAlike || isAnother($0.identity) ? nil : $0 }
      guard let known = same ?? former(in: type, formerNames) ?? retyped else {
        isGivenUp = true
        isUnclear = isAlike && formerNames.contains(firstName)
        return
      }
      if !identities.contains(known.identity) { identities.append(known.identity) }
      names.insert(known.name)
      firstName = known.name
      next = known
    }
  }

  /// It in the version that was looked at last.
  private var next: MemberShape?

  /// The one in a version before that has the first of former names which it did not have since.
  func former(in type: TypeShape, _ formerNames: [String]) -> MemberShape? {
    formerNames.lazy.filter { !names.contains($0) }.compactMap { former in
      type.members.first { $0.name == former }
    }.first
  }

  /// Whether `member`, in a version before, had the name of this one and a type that needs no code
  /// to become its.
  func isReplacing(_ member: MemberShape) -> Bool {
    guard let next, member.name == next.name else { return false }
    return Self.isAlike(member.type, next.type)
  }

  /// Whether no code is needed for a value of one type to become one of the other.
  static func isAlike(_ left: FieldType, _ right: FieldType) -> Bool {
    guard let left = EmbeddedMembers(left), let right = EmbeddedMembers(right) else {
      return left.unwrapped.description == right.unwrapped.description
    }
    func others(_ members: [MemberShape], than known: [MemberShape]) -> [MemberShape] {
      members.filter { member in !known.contains { $0.name == member.name } }
    }
    let common = left.members.compactMap { member in
      right.members.first { $0.name == member.name }.map { (member.type, $0.type) }
    }
    let (gone, new) = (
      others(left.members, than: right.members), others(right.members, than: left.members)
    )
    // Where one goes and another comes, it may be the same.
    let isRenamed = gone.contains { gone in new.contains { isAlike(gone.type, $0.type) } }
    return left.containers == right.containers && !common.isEmpty && !isRenamed
      && common.allSatisfy { isAlike($0, $1) }
  }
}
