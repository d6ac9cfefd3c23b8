/// Members that embedded objects leave out: valid, and stored as nil.
extension Value {
  /// The same value, with nil for all optional members that embedded objects in it leave out: what
  /// is read where it was stored in a member of `type`, for which it is valid.
  ///
  /// Costs no memory where nothing is left out, and nothing at all where `type` holds no object.
  package func completed(for type: FieldType) -> Value { completion(for: type) ?? self }

  /// The completed value; nothing where it is complete.
  private func completion(for type: FieldType) -> Value? {
    guard case .object = type.innermost else { return nil }
    switch (self, type) {
    case (.null, _): return nil
    case (_, .optional(let wrapped)): return completion(for: wrapped)
    case (.list(let elements), .list(let element)):
      var result: [Value]?
      for (index, value) in elements.enumerated() {
        guard let completed = value.completion(for: element) else { continue }
        if result == nil { result = elements }
        result?[index] = completed
      }
      return result.map { .list($0) }
    case (.dictionary(let values), .dictionary(let element)):
      var result: [String: Value]?
      for (key, value) in values {
        guard let completed = value.completion(for: element) else { continue }
        if result == nil { result = values }
        result?[key] = completed
      }
      return result.map { .dictionary($0) }
    case (.object(let values), .object(let members)):
      var result: [String: Value]?
      for member in members {
        let value = values[member.name]
        guard let completed = value == nil ? .null : value?.completion(for: member.type) else {
          continue
        }
        if result == nil { result = values }
        result?[member.name] = completed
      }
      return result.map { .object($0) }
    default: return nil
    }
  }

  /// The same value without the members of embedded objects that are nil: equal for values that are
  /// stored alike, so that it can stand for them where types are not known.
  var condensed: Value {
    switch self {
    case .object(let values):
      .object(values.filter { !$0.value.isNull }.mapValues(\.condensed))
    case .list(let elements): .list(elements.map(\.condensed))
    case .dictionary(let values): .dictionary(values.mapValues(\.condensed))
    default: self
    }
  }

  /// Whether both are stored alike: embedded objects may leave out what is nil.
  func isStoredLike(_ other: Value) -> Bool {
    var remaining = Int.max
    return isStoredLike(other, visiting: &remaining)
  }

  /// The same, looking at no more than `remaining` values, of which long texts, data, names and
  /// keys of dictionaries count as several; what it says counts only where some remain.
  func isStoredLike(_ other: Value, visiting remaining: inout Int) -> Bool {
    remaining -= 1
    guard remaining > 0 else { return false }
    switch (self, other) {
    case (.object(let left), .object(let right)):
      var otherCount = right.count
      for (name, value) in left {
        // Looking for it reads all of it.
        remaining -= name.utf8.count / Self.byteCountOfOneMore
        guard remaining > 0 else { return false }
        let other = right[name]
        if other != nil { otherCount -= 1 }
        guard value.isStoredLike(other ?? .null, visiting: &remaining) else { return false }
      }
      if otherCount == 0 { return true }
      for (name, value) in right {
        remaining -= 1 + name.utf8.count / Self.byteCountOfOneMore
        guard remaining > 0, value.isNull || left[name] != nil else { return false }
      }
      return true
    case (.list(let left), .list(let right)):
      guard left.count == right.count else { return false }
      for (value, other) in zip(left, right) {
        guard value.isStoredLike(other, visiting: &remaining) else { return false }
      }
      return true
    case (.dictionary(let left), .dictionary(let right)):
      guard left.count == right.count else { return false }
      for (key, value) in left {
        // Looking for it reads all of it.
        remaining -= key.utf8.count / Self.byteCountOfOneMore
        guard remaining > 0 else { return false }
        guard let place = right.index(forKey: key), right[place].key.hasSameBytes(as: key),
          value.isStoredLike(right[place].value, visiting: &remaining)
        else { return false }
      }
      return true
    case (.string(let left), .string(let right)):
      guard left.utf8.count == right.utf8.count else { return false }
      remaining -= left.utf8.count / Self.byteCountOfOneMore
      return remaining > 0 && left.hasSameBytes(as: right)
    case (.data(let left), .data(let right)):
      guard left.count == right.count else { return false }
      remaining -= left.count / Self.byteCountOfOneMore
      return remaining > 0 && left == right
    default: return self == other
    }
  }

  /// So many bytes of two texts are compared in the time that a value takes.
  private static var byteCountOfOneMore: Int { 64 }
}
