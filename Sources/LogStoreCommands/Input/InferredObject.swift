internal import SchemaRegistry

/// The members that objects of one place have had so far, in order of first appearance.
struct InferredObject {
  /// With more members than this, values of one type are taken for a dictionary.
  static let embeddedMemberCountMaximum = 64

  private(set) var names: [String] = []
  private var types: [InferredType] = []
  private var indices: [String: Int] = [:]
  /// For each member, the number of objects that had it.
  private var counts: [Int] = []
  private var objectCount = 0
  /// The values of all members, where there are more names than an object may have; one at most.
  private var folded: [InferredType] = []

  /// Takes up one object; `path` leads to it in errors.
  mutating func add(
    _ members: [ImportMember], of path: MemberPath, line: Int, _ kept: inout InferredNames
  ) throws(ImportError) {
    objectCount += 1
    var isRow = false
    if case .row = path { isRow = true }
    for member in members {
      if !isRow { foldIfTooMany(besides: member.name, &kept) }
      if !folded.isEmpty {
        try folded[0].add(
          member.value, path: .member(member.name, of: path), line: line, &kept)
        continue
      }
      let index = try self.index(of: member.name, line: line, &kept)
      counts[index] += 1
      try types[index].add(
        member.value, path: .member(member.name, of: path), line: line, &kept)
    }
  }

  /// Forgets the names where there is no room for one more, and values of one type make it a
  /// dictionary.
  private mutating func foldIfTooMany(besides name: String, _ kept: inout InferredNames) {
    guard folded.isEmpty, names.count == ImportLimits.memberCountMaximum, indices[name] == nil,
      let type = commonType()
    else { return }
    // Those of an object that the common type came from are kept.
    kept.remove(names)
    self = InferredObject(folded: type)
  }

  init() {}

  private init(folded type: InferredType) { folded = [type] }

  private mutating func index(
    of name: String, line: Int, _ kept: inout InferredNames
  ) throws(ImportError) -> Int {
    if let index = indices[name] { return index }
    guard names.count < ImportLimits.memberCountMaximum else {
      throw .tooManyMembers(line: line, limit: ImportLimits.memberCountMaximum)
    }
    try kept.add(name, line: line)
    indices[name] = names.count
    names.append(name)
    types.append(InferredType())
    counts.append(0)
    return names.count - 1
  }

  /// The members with their types; those that some object lacks are optional.
  func members() -> [MemberShape] {
    names.indices.map { MemberShape(names[$0], type(at: $0).fieldType()) }
  }

  /// An embedded object, or a dictionary for objects that are used like one.
  ///
  /// Names are free text in a dictionary: it is taken when a name could not name a member, when
  /// no object had any member, or when there are very many names; all values must be of one type.
  func fieldType() -> FieldType {
    if let type = folded.first { return .dictionary(type.fieldType()) }
    let looksLikeDictionary =
      names.count > Self.embeddedMemberCountMaximum || names.isEmpty
      || !names.allSatisfy(SchemaLimits.isValidName)
    if looksLikeDictionary, let type = commonType() {
      return .dictionary(type.fieldType())
    }
    return .object(members())
  }

  /// The type that holds the values of all members, not counting absence.
  private func commonType() -> InferredType? {
    var common = InferredType()
    for type in types {
      guard let united = common.united(with: type) else { return nil }
      common = united
    }
    return common
  }

  private func type(at index: Int) -> InferredType {
    var type = types[index]
    if counts[index] < objectCount { type.addMissing() }
    return type
  }
}
