/// Writes through ways back: what an older app makes of embedded objects goes into those that newer
/// ones have, of which nothing is lost that it does not know.
///
/// An older app sees what an expression gives of the newer members. Where that leads to one of
/// them, a value can go the other way; it is written where the app changed something, and has to be
/// read back as it was written. Elements of lists are told apart by what the app sees of them, as
/// in additive stores: see decision 50.
enum WayBackWriting {
  /// Why something cannot be written: what it is about, and a part of a sentence.
  struct Refusal: Error {
    let reason: String
  }

  /// Puts `value`, which `expression` shall give afterwards, into the members of `object`.
  ///
  /// `initial` is what new embedded objects hold in members that the app does not know, by the
  /// member that is or holds them.
  static func put(
    _ value: Value, through expression: ValueExpression, into object: inout [String: Value],
    initial: [String: Value]
  ) throws(Refusal) {
    switch expression {
    case .member(let name): object[name] = value
    // Newer apps have no such member any more.
    case .constant: return
    case .orElse(let inner, .constant):
      try put(value, through: inner, into: &object, initial: initial)
    case .mapped(let inner, let cases, let otherwise) where otherwise ?? inner == inner:
      guard value.isNull || cases.contains(where: { $0.from.isStoredLike(value) }) else {
        throw Refusal(reason: "this \(value.kindName) is no case there")
      }
      try put(value, through: inner, into: &object, initial: initial)
    case .reshaped(let inner, let parts):
      let old = try evaluate(inner, object)
      var inside: [String: Value] = [:]
      if let name = inner.memberNames.first, case .object(let values)? = initial[name] {
        inside = values
      }
      var isStored = false
      if case .member = inner { isStored = true }
      let objects = EmbeddedObjects(parts: parts, initial: inside, isStored: isStored)
      try put(
        try objects.written(value, over: old), through: inner, into: &object, initial: initial)
    default: throw Refusal(reason: "nothing leads from what this version writes")
    }
  }

  private static func evaluate(
    _ expression: ValueExpression, _ object: [String: Value]
  ) throws(Refusal) -> Value {
    do throws(ExpressionFailure) {
      return try expression.evaluate { name in object[name] ?? .null }
    } catch { throw Refusal(reason: error.reason) }
  }

  /// Embedded objects, of which an app sees what `parts` give.
  private struct EmbeddedObjects {
    let parts: [ObjectPart]
    /// What new objects hold, and new ones inside of them.
    let initial: [String: Value]
    /// Whether they are those that newer apps store, and not some on the way to these.
    let isStored: Bool

    /// What new objects hold in members that no part leads to.
    private var begun: [String: Value] {
      guard isStored else { return [:] }
      let read = Set(parts.flatMap(\.value.memberNames))
      return initial.filter { !read.contains($0.key) }
    }

    /// What newer apps store for the `value` of an older one that replaces `old`.
    func written(_ value: Value, over old: Value) throws(Refusal) -> Value {
      switch value {
      case .null: return .null
      case .object(let members):
        if case .object(let before) = old { return .object(try written(members, over: before)) }
        return .object(try written(members, over: nil))
      case .dictionary(var elements):
        var before: [String: Value] = [:]
        if case .dictionary(let values) = old { before = values }
        for (key, element) in elements {
          elements[key] = try written(element, over: before[key] ?? .null)
        }
        return .dictionary(elements)
      case .list(let elements):
        var before: [Value] = []
        if case .list(let values) = old { before = values }
        return .list(try written(elements, over: before))
      default: throw Refusal(reason: "this \(value.kindName) holds no embedded object")
      }
    }

    private func written(
      _ members: [String: Value], over old: [String: Value]?
    ) throws(Refusal) -> [String: Value] {
      var result = old ?? begun
      for part in parts {
        let value = members[part.name] ?? .null
        if let old, try evaluate(part.value, old).isStoredLike(value) { continue }
        try put(value, through: part.value, into: &result, initial: initial)
        switch part.value {
        // Of the first nothing can be read, of the second every part was.
        case .constant, .reshaped: continue
        default: break
        }
        guard try evaluate(part.value, result).isStoredLike(value) else {
          throw Refusal(
            reason: "\(part.name) of it cannot take this \(value.kindName), which would be read "
              + "back as another value")
        }
      }
      return result
    }

    private func written(
      _ elements: [Value], over old: [Value]
    ) throws(Refusal) -> [Value] {
      var known: [Value: [Value]] = [:]
      for element in old { known[try seen(element), default: []].append(element) }
      let looks = elements.map(\.condensed)
      try checkTellable(looks, known)
      var taken: [Value: Int] = [:]
      return try zip(elements, looks).map { (element, look) throws(Refusal) in
        let index = taken[look, default: 0]
        taken[look] = index + 1
        if let before = known[look], index < before.count { return before[index] }
        return try written(element, over: .null)
      }
    }

    /// What the app sees of an element; what it leaves out is the same as nil.
    private func seen(_ element: Value) throws(Refusal) -> Value {
      try evaluate(.reshaped(.member(""), parts), ["": element]).condensed
    }

    /// Throws when something in the elements that were there would be lost or end up in another.
    private func checkTellable(
      _ elements: [Value], _ known: [Value: [Value]]
    ) throws(Refusal) {
      var counts: [Value: Int] = [:]
      for element in elements { counts[element, default: 0] += 1 }
      let addsSome = counts.contains { element, count in count > known[element]?.count ?? 0 }
      for (element, before) in known {
        let count = counts[element] ?? 0
        if count >= before.count { continue }
        let new = try written(element, over: .null)
        if before.allSatisfy({ $0.isStoredLike(new) }) { continue }
        guard !addsSome, count == 0 || before.allSatisfy({ $0 == before[0] }) else {
          throw Refusal(
            reason: "an element of it was changed or replaced, and cannot be told from the others")
        }
      }
    }
  }
}
