/// Barriers that change what links lead to, and whether objects stand alone or in others.
extension HistoryDerivation {
  mutating func retarget(
    _ step: BarrierStep, _ place: MemberPlace, to target: String, _ mapping: LinkMapping?,
    previous: SchemaVersion
  ) {
    let id = nextID(place.type)
    guard let (type, member) = find(place, id),
      let other = index(ofTypeNamed: target, id: id, missing: "Links cannot lead to it."),
      let key = types[other].members.first(where: { $0.identity == types[other].key })?.type
    else { return }
    let old = types[type].members[member]
    let found = old.type.replacingElement { $0.isKeyType ? key : nil }
    guard old.identity != types[type].key, let found else {
      report(
        id, "\(place)", "\(place) is \(old.type), which is no link.",
        "Name a member besides the key that holds keys, or a list or dictionary of them.")
      return
    }
    guard isAlone(type, id), claim(type, id) else { return }
    // Without code a single link becomes nil.
    let isSingle = old.type.unwrapped.isKeyType
    types[type].members[member].type = isSingle && mapping == nil ? found.madeOptional : found
    types[type].members[member].meaning = KnownMeaning(link: .to(types[other].identity))
    finish(step, id, types: [types[type].identity], named: place.type, previous)
  }

  // The indexes of types stay while the changes of one barrier are found.

  mutating func embed(
    _ step: BarrierStep, _ name: String, into places: [MemberPlace], previous: SchemaVersion
  ) {
    let id = nextID(name)
    guard let child = index(ofTypeNamed: name, id: id, missing: "Nothing can be embedded."),
      let key = types[child].members.first(where: { $0.identity == types[child].key }),
      let targets = find(places, id, besides: name), isAlone(child, id), claim(child, id)
    else { return }
    let parts = types[child].members.filter { $0.identity != key.identity }
    let object = FieldType.object(parts.map { MemberShape($0.name, $0.type) })
    for (place, type, member) in targets {
      let old = types[type].members[member].type
      let found = old.replacingElement { $0 == key.type ? object : nil }
      guard types[type].members[member].identity != types[type].key, let found else {
        return report(
          id, "\(place)", "\(place) is \(old), and keys of \(name) are \(key.type).",
          "Name members that hold links to \(name).")
      }
      if let problem = found.problem {
        return report(
          id, "\(place)", "\(name) cannot be embedded in \(place): \(problem).",
          "Keep it a type of its own.")
      }
    }
    var identities = [types[child].identity]
    guard claim(targets, id, &identities) else { return }
    for (_, type, member) in targets {
      let found = types[type].members[member].type.replacingElement { _ in object }
      types[type].members[member].type = found ?? types[type].members[member].type
      types[type].members[member].meaning = KnownMeaning()
    }
    finish(step, id, types: identities, named: name, previous)
    removals.append(ChangedTarget(operationID: id, type: types[child].identity, name: name))
    types.remove(at: child)
  }

  mutating func extract(
    _ step: BarrierStep, _ name: String, key: String, from places: [MemberPlace],
    previous: SchemaVersion
  ) {
    let id = nextID(name)
    guard let targets = find(places, id, besides: name) else { return }
    var parts: [MemberShape]?
    for (place, type, member) in targets {
      let old = types[type].members[member].type
      guard case .object(let members) = old.element, parts == nil || parts == members else {
        return report(
          id, "\(place)", "\(place) is \(old), of which \(name) cannot be made.",
          "Name members that hold the same embedded object, or lists or dictionaries of it.")
      }
      parts = members
    }
    let fields = [Field(key, .uuid)] + (parts ?? []).map { Field($0.name, $0.type) }
    guard add(Type(name: name, keyMember: key, fields: fields), id: id) else { return }
    let made = types.count - 1
    types[made].barrierID = id
    // What places say alike of the members that they have in common.
    let meanings = targets.map { types[$0.type].members[$0.member].meaning.inside }
    for index in types[made].members.indices {
      let found = meanings.map { $0[types[made].members[index].name] ?? KnownMeaning() }
      if let first = found.first, found.allSatisfy({ $0 == first }) {
        types[made].members[index].meaning = first
      }
    }
    var identities = [types[made].identity]
    guard claim(targets, id, &identities) else { return }
    for (_, type, member) in targets {
      let found = types[type].members[member].type.replacingElement { _ in .uuid }
      types[type].members[member].type = found ?? types[type].members[member].type
      types[type].members[member].meaning = KnownMeaning(link: .to(types[made].identity))
    }
    finish(step, id, types: identities, named: name, previous)
  }

  private mutating func find(_ place: MemberPlace, _ id: String) -> (type: Int, member: Int)? {
    guard let type = index(ofTypeNamed: place.type, id: id, missing: "It has no links."),
      let member = member(place.member, id, type)
    else { return nil }
    return (type, member)
  }

  private typealias Target = (place: MemberPlace, type: Int, member: Int)

  /// The members at `places`, each once, and none of the type called `name`.
  private mutating func find(
    _ places: [MemberPlace], _ id: String, besides name: String
  ) -> [Target]? {
    guard !places.isEmpty, Set(places).count == places.count,
      !places.contains(where: { $0.type == name })
    else {
      report(
        id, nil, "The members are not named, named twice, or of \(name) itself.",
        "Name each member of another type that is concerned, once.")
      return nil
    }
    var targets: [Target] = []
    for place in places {
      guard let (type, member) = find(place, id) else { return nil }
      targets.append((place, type, member))
    }
    return targets
  }

  private mutating func claim(
    _ targets: [Target], _ id: String, _ identities: inout [TypeIdentity]
  ) -> Bool {
    for type in Set(targets.map(\.type)).sorted() {
      guard isAlone(type, id), claim(type, id) else { return false }
      identities.append(types[type].identity)
    }
    return true
  }

  /// Whether nothing else changes records of a type in this version; reports what does.
  mutating func isAlone(_ type: Int, _ id: String) -> Bool {
    if types[type].source != nil, !types[type].isTouched { return true }
    report(
      id, nil, "\(types[type].name) is changed by other operations of version \(version), too.",
      "Put them into the version before; the barrier stands alone for its types.")
    return false
  }

  /// Notes a barrier that was found good, and the types that it touches.
  mutating func finish(
    _ step: BarrierStep, _ id: String, types identities: [TypeIdentity], named name: String,
    _ previous: SchemaVersion
  ) {
    for index in types.indices where identities.contains(types[index].identity) {
      types[index].isTouched = true
    }
    describe(step, id: id, type: identities.first ?? types[0].identity, typeName: name)
    barriers.append(
      ResolvedBarrier(id: id, version: version, previous: previous, types: identities, step: step))
  }
}

extension FieldType {
  /// What a member holds one or several of: itself, or the elements of a list or dictionary.
  fileprivate var element: FieldType {
    switch unwrapped {
    case .list(let element), .dictionary(let element): element
    default: unwrapped
    }
  }

  /// The same with another element; nothing when `replace` gives nothing for it.
  fileprivate func replacingElement(_ replace: (FieldType) -> FieldType?) -> FieldType? {
    switch self {
    case .optional(let inner): inner.replacingElement(replace).map { .optional($0) }
    case .list(.optional), .dictionary(.optional): nil
    case .list(let element): replace(element).map { .list($0) }
    case .dictionary(let element): replace(element).map { .dictionary($0) }
    default: replace(self)
    }
  }
}
