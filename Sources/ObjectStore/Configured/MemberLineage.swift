internal import SchemaRegistry

/// What a member of a model was in the versions of a store that are newer than old objects.
///
/// A member that is renamed keeps its identity, but for one whose old name is used again at once,
/// and for one that becomes another type: these have an identity of their own since.
struct MemberLineage {
  let member: String
  /// What the model says that it was called, the newest first.
  private let formerNames: [String]
  /// The newest first.
  private(set) var identities: [MemberIdentity]
  /// The names that it had: none of them is what it was called before.
  private(set) var names: Set<String>
  /// What the oldest of the versions calls it.
  private(set) var firstName: String
  /// Whether one of the versions lacks it: it was new afterwards (R23).
  private(set) var isGivenUp = false
  /// Whether another one had its name there, which may be it, and would need no code.
  private(set) var isUnclear = false
  /// How many of the identities it has since code made it another type; nothing when it never did.
  private var countSinceCode: Int?
  /// Whether that is sure: a block may have given the one of its name another one.
  private var isSureOfCode = true
  /// Its name and type in the version that was looked at last; at first in the model.
  private var next: (name: String, type: FieldType)

  /// `identity` is what the current schema says that it is, when one of the versions shows that.
  init(
    of member: (name: String, type: FieldType), called formerNames: [String],
    identity: MemberIdentity?
  ) {
    (self.member, self.formerNames, next) = (member.name, formerNames, member)
    identities = identity.map { [$0] } ?? []
    (names, firstName) = ([member.name], member.name)
  }

  /// Whether versions before may show more of it.
  var isOpen: Bool { !identities.isEmpty && !isGivenUp }

  /// Those that it has without code in between: what was recorded for these is what it is.
  var identitiesSinceCode: [MemberIdentity] { Array(identities.prefix(countSinceCode ?? .max)) }

  /// Whether code made it another type, so that objects from before hold what code makes of them.
  var isRetyped: Bool { countSinceCode != nil && isSureOfCode }

  /// Whether code made it another type since it was a stored member.
  func isRetyped(since stored: MemberIdentity) -> Bool {
    isRetyped && !identitiesSinceCode.contains(stored)
  }

  /// It in a version, by its identity.
  func same(in type: TypeShape) -> MemberShape? {
    type.members.first { identities.contains($0.identity) }
  }

  /// The one in a version that has the first of its former names which it did not have since.
  func former(in type: TypeShape, unless isOther: (MemberIdentity) -> Bool) -> MemberShape? {
    for former in formerNames where !names.contains(former) {
      let known = type.members.first { $0.name == former }
      if let known, !isOther(known.identity) { return known }
    }
    return nil
  }

  /// The one in a version that has its name, and a type that only code can make its.
  func retyped(in type: TypeShape) -> MemberShape? {
    type.members.first { $0.name == firstName && !isReplacing($0) }
  }

  /// Goes back to it in a version; `isSure` is false where its name alone tells, and a block that
  /// was not asked may say otherwise.
  mutating func goBack(to known: MemberShape, isSure: Bool) {
    if countSinceCode == nil, !identities.contains(known.identity),
      !Self.isAlike(known.type, next.type)
    {
      countSinceCode = identities.count
      isSureOfCode = isSure
    }
    if !identities.contains(known.identity) { identities.append(known.identity) }
    names.insert(known.name)
    firstName = known.name
    next = (known.name, known.type)
  }

  /// Ends where a version has nothing that was it.
  mutating func giveUp(in type: TypeShape) {
    isGivenUp = true
    isUnclear = formerNames.contains(firstName) && type.members.contains(where: isReplacing)
  }

  /// Whether it may have taken the name of `member`, of a version before, when that got the name of
  /// one of `others`: of one that came in the same version, and needs no code to be it.
  func mayBeFollower(of member: MemberShape, among others: [MemberShape]) -> Bool {
    others.contains { other in
      other.identity.introducedIn == identities.last?.introducedIn && other.name != member.name
        && Self.isAlike(member.type, other.type)
    }
  }

  /// Whether `member`, in a version before, had the name of this one and a type that needs no code
  /// to become its.
  func isReplacing(_ member: MemberShape) -> Bool {
    member.name == next.name && Self.isAlike(member.type, next.type)
  }

  /// Whether no code is needed for a value of one type to become one of a later one, as far as
  /// types tell.
  static func isAlike(_ earlier: FieldType, _ later: FieldType) -> Bool {
    guard let earlier = EmbeddedMembers(earlier), let later = EmbeddedMembers(later) else {
      return earlier.unwrapped.description == later.unwrapped.description
    }
    return earlier.isLike(later, ignoringOutermost: true)
      && EmbeddedComparison.isFree(from: earlier.members, to: later.members)
  }
}
