internal import SchemaRegistry

/// What becomes of a list of embedded objects, or of containers of them, when an app writes it that
/// does not know all that is in them.
///
/// Where the model names a member by which elements are known, and no two have the same in it, an
/// element is the same as long as that is. Else, and where it is a container, it has nothing to be
/// known by but how it looks to that app, with all that is in it. So:
/// 1. As long as there are as many elements of one look as before, they are those of before, in
///    their order, wherever they are in the list now.
/// 2. Where there are more, the last ones of that look are new.
/// 3. Fewer of a look are fewer; if not all of it have the same, it cannot be told which. In a set,
///    of which the app sees one for all of them, they are all there as long as that is.
/// 4. Where others are more besides, an element may have been changed or have given way to a new
///    one: what was in it would be lost, or end up in another, unless the outcome is the same, as
///    where it has what new ones have. Containers whose objects have keys are told by those.
///
/// What cannot be told is refused.
extension EmbeddedBinding {
  /// The elements of a list in `level` others, with the hidden members of those in `old`.
  func completed(
    _ elements: [Value], overElements old: [Value], level: Int
  ) throws(ElementsNotToldApart) -> [Value] {
    let identity = identity(at: level)
    if let before = identity?.elementsByKey(old), identity?.elementsByKey(elements) != nil {
      return try elements.map { (element) throws(ElementsNotToldApart) in
        let old = identity?.key(of: element).flatMap { before[$0] }
        return try completed(element, over: old, inside: level)
      }
    }
    let looks = elements.map { look(of: $0, inside: level, once: false) }
    // An app may have elements that look the same in a set, and tell them apart by what it does not
    // store. Others see one for all of them.
    let once = !looks.contains(where: \.hasRepeats)
    var known: [ElementLook: [Value]] = [:]
    for element in old {
      known[look(of: reduced(element), inside: level, once: once), default: []].append(element)
    }
    let isSet = identity?.isSet == true
    let changed = try changed(
      elements, looks, gone: gone(known, looks, isSet: isSet, level), known, level)
    var written: [Value] = []
    written.reserveCapacity(elements.count)
    var taken: [ElementLook: Int] = [:]
    for (place, look) in looks.enumerated() {
      let before = known[look] ?? []
      let index = taken[look, default: 0]
      taken[look] = index + 1
      // In a set the first of a look stands for all that were there.
      if isSet, 0 < index, index < before.count { continue }
      var olds = before.dropFirst(index).prefix(isSet ? before.count : 1).map(Optional.some)
      if olds.isEmpty { olds = [changed[place]] }
      for old in olds {
        written.append(try completed(elements[place], over: old, inside: level))
      }
    }
    return written
  }

  /// The elements that are there no more and have something that new ones do not get; throws when
  /// it cannot be told which of several.
  private func gone(
    _ known: [ElementLook: [Value]], _ looks: [ElementLook], isSet: Bool, _ level: Int
  ) throws(ElementsNotToldApart) -> [Value] {
    var counts: [ElementLook: Int] = [:]
    for look in looks { counts[look, default: 0] += 1 }
    var gone: [Value] = []
    for (look, before) in known {
      let count = counts[look] ?? 0
      if count >= before.count || isSet && count > 0 { continue }
      let new = try completed(reduced(before[0]), over: nil, inside: level)
      if before.allSatisfy({ $0 == new }) { continue }
      guard count == 0 || before.allSatisfy({ $0 == before[0] }) else {
        throw ElementsNotToldApart(member: path)
      }
      gone += before.dropFirst(count)
    }
    return gone
  }

  /// How many pairs of new elements and such that are gone are compared at most, so that a write
  /// does not take seconds for lists of thousands that were exchanged.
  static let pairCountMaximum = 1 << 18

  /// By their places, the elements that are there no more and look different now; throws when it
  /// cannot be told whether a new one was one of them. The time is that of writing each of the new
  /// ones over each that is gone and that has objects where it has some, too.
  private func changed(
    _ elements: [Value], _ looks: [ElementLook], gone: [Value], _ known: [ElementLook: [Value]],
    _ level: Int
  ) throws(ElementsNotToldApart) -> [Int: Value] {
    if gone.isEmpty { return [:] }
    var counts: [ElementLook: Int] = [:]
    let places = looks.indices.filter { place in
      counts[looks[place], default: 0] += 1
      return counts[looks[place], default: 0] > known[looks[place]]?.count ?? 0
    }
    let candidates = PairCandidates(gone.map { objectPlaces(in: $0, level + 1) })
    var pairCount = 0
    var changed: [Int: Int] = [:]
    for place in places {
      let indexes = candidates.indexes(sharing: objectPlaces(in: elements[place], level + 1))
      if indexes.isEmpty { continue }
      pairCount += indexes.count
      guard pairCount <= Self.pairCountMaximum else { throw ElementsNotToldApart(member: path) }
      let new = try completed(elements[place], over: nil, inside: level)
      for index in indexes {
        let old = gone[index]
        // What cannot be told inside makes a difference, too.
        let whole = try? completed(elements[place], over: old, inside: level)
        if whole == new { continue }
        guard whole != nil, changed.updateValue(index, forKey: place) == nil,
          hasKeys(elements[place], level + 1), hasKeys(old, level + 1)
        else { throw ElementsNotToldApart(member: path) }
      }
    }
    guard Set(changed.values).count == changed.count else {
      throw ElementsNotToldApart(member: path)
    }
    return changed.mapValues { gone[$0] }
  }

  /// Where in a container its objects are, for who looks for the same ones in another; nothing
  /// where only a comparison tells.
  private func objectPlaces(
    in container: Value, _ level: Int, behind names: [String] = []
  ) -> Set<ObjectPlace>? {
    switch container {
    case .list(let elements):
      let isInnermost = level == identities.count - 1
      if let identity = identity(at: level), !identity.key.isEmpty, isInnermost {
        guard let keys = identity.elementsByKey(elements)?.keys else { return nil }
        return Set(keys.map { ObjectPlace(names: names, key: $0) })
      }
      var all: Set<ObjectPlace> = []
      for element in elements {
        if case .object = element { return nil }
        guard let found = objectPlaces(in: element, level + 1, behind: names) else { return nil }
        all.formUnion(found)
      }
      return all
    case .dictionary(let elements):
      var all: Set<ObjectPlace> = []
      for (name, element) in elements {
        guard let found = objectPlaces(in: element, level, behind: names + [name]) else {
          return nil
        }
        all.formUnion(found)
      }
      return all
    case .object: return [ObjectPlace(names: names, key: nil)]
    default: return []
    }
  }

  /// Whether all objects in a container have keys that tell them apart.
  private func hasKeys(_ container: Value, _ level: Int) -> Bool {
    switch container {
    case .list(let elements):
      if identity(at: level)?.key.isEmpty == false, level == identities.count - 1 {
        identity(at: level)?.elementsByKey(elements) != nil
      } else {
        elements.allSatisfy { hasKeys($0, level + 1) }
      }
    case .dictionary(let elements): elements.values.allSatisfy { hasKeys($0, level) }
    case .object: false
    default: true
    }
  }

  private func completed(
    _ element: Value, over old: Value?, inside level: Int
  ) throws(ElementsNotToldApart) -> Value {
    try completed(element, over: old, level: level + 1)
  }

  private func look(of element: Value, inside level: Int, once: Bool) -> ElementLook {
    ElementLook(element, at: path, level: level + 1, sets: sets, once: once)
  }

  /// Models that encode themselves may give deeper lists than they declare, which is refused later.
  private func identity(at level: Int) -> ElementIdentity? {
    level < identities.count ? identities[level] : nil
  }
}

extension ElementIdentity {
  fileprivate func key(of element: Value) -> Value? {
    guard case .object(let members) = element, let key = members[self.key], !key.isNull else {
      return nil
    }
    return key
  }

  /// The elements by what tells them apart; nothing when it does not.
  fileprivate func elementsByKey(_ elements: [Value]) -> [Value: Value]? {
    var known: [Value: Value] = [:]
    for element in elements {
      guard let key = key(of: element), known.updateValue(element, forKey: key) == nil else {
        return nil
      }
    }
    return known
  }
}
