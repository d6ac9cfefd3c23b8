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
/// 3. Fewer of a look are fewer; if not all of it have the same, it cannot be told which.
/// 4. Where others are more besides, an element may have been changed or have given way to a new
///    one: what was in it would be lost, or end up in another, unless it is what new ones have.
///
/// What cannot be told is refused.
extension EmbeddedBinding {
  /// The elements with the hidden members of those in `old`.
  func completed(
    _ elements: [Value], overElements old: [Value]
  ) throws(StoreError) -> [Value] {
    if let before = byKey(old), byKey(elements) != nil {
      return try elements.map { (element) throws(StoreError) in
        try self.completed(element, over: key(of: element).flatMap { before[$0] })
      }
    }
    var known: [Value: [Value]] = [:]
    for element in old { known[reduced(element), default: []].append(element) }
    var counts: [Value: Int] = [:]
    for element in elements { counts[element, default: 0] += 1 }
    let addsSome = counts.contains { look, count in count > known[look]?.count ?? 0 }
    for (look, before) in known {
      let count = counts[look] ?? 0
      if count >= before.count { continue }
      let new = try completed(look, over: nil)
      if before.allSatisfy({ $0 == new }) { continue }
      guard !addsSome, count == 0 || before.allSatisfy({ $0 == before[0] }) else {
        throw .elementsNotToldApart(type: place.type, member: place.path)
      }
    }
    var taken: [Value: Int] = [:]
    var completed: [Value] = []
    completed.reserveCapacity(elements.count)
    for element in elements {
      let before = known[element] ?? []
      let index = taken[element, default: 0]
      taken[element] = index + 1
      completed.append(
        try self.completed(element, over: index < before.count ? before[index] : nil))
    }
    return completed
  }

  private func key(of element: Value) -> Value? {
    guard let elementKey, case .object(let members) = element else { return nil }
    return members[elementKey]
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
