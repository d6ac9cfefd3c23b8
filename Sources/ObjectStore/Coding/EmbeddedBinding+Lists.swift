internal import SchemaRegistry

/// What becomes of a list of embedded objects when an app writes it that does not know all that is
/// in them.
///
/// Where the model names a member by which elements are known, and no two have the same in it, an
/// element is the same as long as that is. Else it has nothing to be known by but how it looks to
/// that app. So:
/// 1. As long as there are as many elements of one look as before, they are those of before, in
///    their order, wherever they are in the list now.
/// 2. Where there are more, the last ones of that look are new.
/// 3. Fewer of a look are fewer; if not all of it have the same, it cannot be told which. In a set,
///    of which the app sees one for all of them, they are all there as long as that is.
/// 4. Where others are more besides, an element may have been changed or have given way to a new
///    one: what was in it would be lost, or end up in another, unless it is what new ones have.
///
/// What cannot be told is refused.
extension EmbeddedBinding {
  /// The elements with the hidden members of those in `old`.
  func completed(
    _ elements: [Value], overElements old: [Value]
  ) throws(ElementsNotToldApart) -> [Value] {
    if let before = byKey(old), byKey(elements) != nil {
      return try elements.map { (element) throws(ElementsNotToldApart) in
        try self.completed(element, over: key(of: element).flatMap { before[$0] })
      }
    }
    var known: [ElementLook: [Value]] = [:]
    for element in old { known[look(of: reduced(element)), default: []].append(element) }
    let looks = elements.map { look(of: $0) }
    try checkTellable(looks, known)
    var completed: [Value] = []
    completed.reserveCapacity(elements.count)
    var taken: [ElementLook: Int] = [:]
    for (element, look) in zip(elements, looks) {
      let before = known[look] ?? []
      let index = taken[look, default: 0]
      taken[look] = index + 1
      if isSet, index < before.count {
        // The first of a look stands for all that were there.
        if index > 0 { continue }
        for old in before { completed.append(try self.completed(element, over: old)) }
      } else {
        let old = index < before.count ? before[index] : nil
        completed.append(try self.completed(element, over: old))
      }
    }
    return completed
  }

  /// Throws when something in the elements that were there would be lost or end up in another.
  private func checkTellable(
    _ looks: [ElementLook], _ known: [ElementLook: [Value]]
  ) throws(ElementsNotToldApart) {
    var counts: [ElementLook: Int] = [:]
    for look in looks { counts[look, default: 0] += 1 }
    let addsSome = counts.contains { look, count in count > known[look]?.count ?? 0 }
    for (look, before) in known {
      let count = counts[look] ?? 0
      if count >= before.count || isSet && count > 0 { continue }
      let new = try completed(reduced(before[0]), over: nil)
      if before.allSatisfy({ $0 == new }) { continue }
      guard !addsSome, count == 0 || before.allSatisfy({ $0 == before[0] }) else {
        throw ElementsNotToldApart(member: path)
      }
    }
  }

  private var isSet: Bool { identity?.isSet == true }

  private func look(of element: Value) -> ElementLook {
    ElementLook(element, at: path, sets: sets)
  }

  private func key(of element: Value) -> Value? {
    guard let name = identity?.key, case .object(let members) = element,
      let key = members[name], !key.isNull
    else { return nil }
    return key
  }

  /// The elements by what tells them apart; nothing when it does not.
  private func byKey(_ elements: [Value]) -> [Value: Value]? {
    var known: [Value: Value] = [:]
    for element in elements {
      guard let key = key(of: element), known.updateValue(element, forKey: key) == nil else {
        return nil
      }
    }
    return known
  }
}
