internal import SchemaRegistry

/// What the values of one member have been so far, and what a type must allow to hold them all.
struct InferredType {
  private enum Kind {
    case bool
    case integer
    /// Reals, or reals and integers.
    case real
    case text
    indirect case list(InferredType)
    case object(InferredObject)
  }

  private var kind: Kind?
  private var hasNull = false
  /// The line that settled the kind, for messages about conflicts.
  private var line = 0
  /// The first line with an integer that no double holds exactly: reals have no place beside it.
  private var inexactLine: Int?

  /// Widens this type so that it holds `value` too; `path` is named in errors, and made only
  /// for them and for what is inside.
  mutating func add(
    _ value: ImportValue, path: @autoclosure () -> MemberPath, line: Int,
    _ kept: inout InferredNames
  ) throws(ImportError) {
    if value == .null {
      hasNull = true
      return
    }
    if kind == nil { self.line = line }
    if growsInside(by: value) {
      return try addInside(value, path: path(), line: line, &kept)
    }
    switch (value, kind) {
    case (.bool, nil), (.bool, .bool):
      kind = .bool
    case (.integer, nil), (.integer, .integer):
      kind = .integer
    case (.real, nil), (.real, .integer), (.integer, .real), (.real, .real),
      (.wholeReal, nil), (.wholeReal, .integer), (.wholeReal, .real):
      if case .integer? = kind { self.line = line }
      kind = .real
    case (.text, nil), (.text, .text):
      kind = .text
    default:
      throw .conflictingKinds(
        member: path().text, line: self.line, kind: kindText, otherLine: line,
        otherKind: value.kind)
    }
    try checkExactness(of: value, path: path(), line: line)
  }

  /// Throws where reals and an integer that no double holds exactly come together: no type holds
  /// both, and the import would refuse that integer.
  private mutating func checkExactness(
    of value: ImportValue, path: @autoclosure () -> MemberPath, line: Int
  ) throws(ImportError) {
    if inexactLine == nil, case .integer(let integer) = value, Double(exactly: integer) == nil {
      inexactLine = line
    }
    guard case .real? = kind, let inexactLine else { return }
    let integerText = "an integer that a double would round"
    if value.real == nil {
      throw .conflictingKinds(
        member: path().text, line: self.line, kind: kindText, otherLine: line,
        otherKind: integerText)
    }
    throw .conflictingKinds(
      member: path().text, line: inexactLine, kind: integerText, otherLine: line,
      otherKind: value.kind)
  }

  private func growsInside(by value: ImportValue) -> Bool {
    switch (value, kind) {
    case (.list, nil), (.list, .list), (.object, nil), (.object, .object): true
    default: false
    }
  }

  /// Widens the type of a list or an object. It is taken out while it grows, or all of it would be
  /// copied for each row.
  private mutating func addInside(
    _ value: ImportValue, path: MemberPath, line: Int, _ kept: inout InferredNames
  ) throws(ImportError) {
    let kind = kind.take()
    switch value {
    case .list(let elements):
      var type = InferredType()
      if case .list(let known)? = consume kind { type = known }
      let inside = MemberPath.element(of: path)
      for element in elements { try type.add(element, path: inside, line: line, &kept) }
      self.kind = .list(type)
    case .object(let members):
      var object = InferredObject()
      if case .object(let known)? = consume kind { object = known }
      try object.add(members, of: path, line: line, &kept)
      self.kind = .object(object)
    default: self.kind = kind
    }
  }

  /// Makes room for rows without this member.
  mutating func addMissing() {
    hasNull = true
  }

  private var kindText: String {
    switch kind {
    case nil: "null"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .real: "a number"
    case .text: "text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  /// The type that holds every value seen.
  ///
  /// Where only null was seen, or nothing at all as in empty lists, the type is text.
  func fieldType() -> FieldType {
    let type: FieldType =
      switch kind {
      case nil: .string
      case .bool: .bool
      case .integer: .int64
      case .real: .double
      case .text: .string
      case .list(let element): .list(element.fieldType())
      case .object(let object): object.fieldType()
      }
    return hasNull ? .optional(type) : type
  }

  /// The type that holds what either holds, or nothing when there is none.
  func united(with other: InferredType) -> InferredType? {
    guard let otherKind = other.kind else { return widenedByNull(other.hasNull) }
    guard let kind else { return other.widenedByNull(hasNull) }
    var result = self
    switch (kind, otherKind) {
    case (.bool, .bool), (.integer, .integer), (.real, .real), (.text, .text): break
    case (.real, .integer): break
    case (.integer, .real):
      result.kind = .real
      result.line = other.line
    case (.list(let left), .list(let right)):
      guard let element = left.united(with: right) else { return nil }
      result.kind = .list(element)
    default: return nil
    }
    result.inexactLine = inexactLine ?? other.inexactLine
    if case .real? = result.kind, result.inexactLine != nil { return nil }
    return result.widenedByNull(other.hasNull)
  }

  private func widenedByNull(_ otherHasNull: Bool) -> InferredType {
    var result = self
    result.hasNull = hasNull || otherHasNull
    return result
  }
}
