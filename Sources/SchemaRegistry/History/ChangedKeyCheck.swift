internal import BinaryCoding

/// Finds links of models that barriers would lead elsewhere: to other objects, by keys that were
/// those of others, or to none.
///
/// Links that the history declares are checked when it is made, and it is no history where one of
/// them would. For those that only models know, each is followed back through the versions; a
/// barrier that changes the keys of its target, or takes objects of it away, is an issue where the
/// link is older. So is a version that made its target, where another type had that name before.
struct ChangedKeyCheck {
  private let history: SchemaHistory
  private(set) var issues: [HistoryIssue] = []
  /// Links whose values are keys of a type that had their target's name before.
  private(set) var replaced: [HistoryIssue] = []
  /// What was followed from where, so that objects that go to and fro are not followed again.
  private var followed: [SchemaVersion: Set<LinkTrail>] = [:]
  /// The version of the models: what is done until then counts.
  private var latest: SchemaVersion = 0

  init(_ history: SchemaHistory) { self.history = history }

  /// Adds what is wrong with a link of the types of `version`.
  mutating func check(_ link: MemberLink, at version: SchemaVersion) throws(SchemaError) {
    let shape = try history.shape(at: version)
    guard let type = shape.type(named: link.type),
      let names = type.members.path(spelled: link.member), let name = names.first,
      let member = type.members.first(where: { $0.name == name }),
      let target = shape.type(named: link.target)?.identity
    else { return }
    let trail = LinkTrail(
      type: type.identity, member: member.identity, path: Array(names.dropFirst()))
    followed = [:]
    latest = version
    follow(trail, from: version, to: target, link)
  }

  private mutating func follow(
    _ start: LinkTrail, from version: SchemaVersion, to target: TypeIdentity, _ link: MemberLink
  ) {
    guard followed[version, default: []].insert(start).inserted else { return }
    var trail = start
    let versions = history.versions.map(\.number).filter { $0 <= version }
    for (version, previous) in zip(versions, [history.base.version] + versions).reversed() {
      guard let derived = history.derived[version] else { return }
      // Barriers run last.
      for barrier in derived.barriers where barrier.types.contains(trail.type) {
        for origin in origins(of: trail, by: barrier, derived.shape) {
          follow(origin, from: barrier.previous, to: target, link)
        }
        if isGiven(trail, by: barrier, derived.shape) { return }
      }
      let operations = derived.transitions[trail.type]?.operations ?? []
      guard trail.goBack(over: operations), let before = history.derived[previous]?.shape,
        let held = trail.linkType(in: before)
      else { return }
      for barrier in derived.barriers where barrier.types.first == target {
        // Values of another type than the keys had are no links to them.
        guard let key = before.type(target)?.keyType, Widening.isSame(held, key) else { continue }
        note(link, barrier)
      }
      if let namesake = before.type(named: target.originalName), before.type(target) == nil,
        Widening.isSame(held, namesake.keyType),
        !isFilled(target, from: namesake.identity)
      {
        noteReplaced(link, target)
      }
    }
  }

  /// Whether objects of a type go to a new one, with their keys, by the version of the models.
  private func isFilled(_ target: TypeIdentity, from namesake: TypeIdentity) -> Bool {
    history.derived.entries.contains { number, derived in
      number <= latest
        && derived.barriers.contains { barrier in
          guard case .move = barrier.step else { return false }
          return barrier.types.first == namesake && barrier.types.last == target
        }
    }
  }

  private mutating func noteReplaced(_ link: MemberLink, _ target: TypeIdentity) {
    let place = link.place
    let version = target.introducedIn
    let issue = HistoryIssue(
      operationID: "v\(version)/\(target.originalName)", member: place,
      problem: "\(place) links to \(link.target), which is new in version \(version), and holds "
        + "keys of the type that was called \(target.originalName) before.",
      suggestion: "Retarget, Remove or Convert \(place) in version \(version); where that has "
        + "shipped, in a new one: a Convert that keeps the values says that they are right.")
    if !replaced.contains(issue) { replaced.append(issue) }
  }

  /// Where `Move` and `ExtractType` took the values of a type from.
  private func origins(
    of trail: LinkTrail, by barrier: ResolvedBarrier, _ shape: SchemaShape
  ) -> [LinkTrail] {
    guard
      let member = shape.type(trail.type)?.members.first(where: { $0.identity == trail.member })
    else { return [] }
    switch barrier.step {
    case .move where barrier.types.last == trail.type:
      let source = barrier.types.first.flatMap { shape.type($0) }
      let found = source?.members.first { $0.name == member.name }
      guard let source, let found else { return [] }
      return [LinkTrail(type: source.identity, member: found.identity, path: trail.path)]
    case .extract(_, _, let places) where barrier.types.first == trail.type:
      return places.compactMap { place in
        guard let parent = shape.type(named: place.type),
          let found = parent.members.first(where: { $0.name == place.member })
        else { return nil }
        return LinkTrail(
          type: parent.identity, member: found.identity, path: [member.name] + trail.path)
      }
    default: return []
    }
  }

  /// Whether a barrier gives the member other values.
  private func isGiven(
    _ trail: LinkTrail, by barrier: ResolvedBarrier, _ shape: SchemaShape
  ) -> Bool {
    let places: [MemberPlace] =
      switch barrier.step {
      case .retarget(let type, let member, _, _): [MemberPlace(type, member)]
      case .embed(_, let places, _), .extract(_, _, let places): places
      case .rekey, .move, .code: []
      }
    return places.contains { place in
      guard let type = shape.type(named: place.type), type.identity == trail.type else {
        return false
      }
      return type.members.first { $0.name == place.member }?.identity == trail.member
    }
  }

  private mutating func note(_ link: MemberLink, _ barrier: ResolvedBarrier) {
    let place = link.place
    let issue: HistoryIssue
    switch barrier.step {
    case .rekey:
      issue = HistoryIssue(
        operationID: barrier.id, member: place,
        problem: "\(place) links to \(link.target) by the key that it had before.",
        suggestion: "Remove \(place) or Convert it to the new key, in this version or before; "
          + "where that has shipped, in a new one: a Convert that keeps the values says that "
          + "they are new keys.")
    case .move(let move):
      issue = HistoryIssue(
        operationID: barrier.id, member: place,
        problem: "\(place) links to \(link.target), of which objects go to \(move.target).",
        suggestion: "Retarget, Remove or Convert \(place), in this version or before; where that "
          + "has shipped, in a new one: a Convert that keeps the values says that none of them "
          + "went.")
    case .retarget, .embed, .extract, .code: return
    }
    if !issues.contains(issue) { issues.append(issue) }
  }
}
