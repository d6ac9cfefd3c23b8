/// A type while the operations of a history run over it without data.
struct TypeState {
  struct Member {
    let identity: MemberIdentity
    var name: String
    var type: FieldType
    /// What its values mean, when the history says so.
    var meaning = KnownMeaning()
    /// The values that it may have, when the history says so.
    var cases: [Value]? { meaning.cases }
  }

  struct Renaming {
    let operationID: String
    let old: String
    let new: String
    let member: MemberIdentity
  }

  var name: String
  let identity: TypeIdentity
  /// Whether it stands for an embedded object while operations run on that.
  var isEmbedded = false
  var key: MemberIdentity
  var members: [Member]
  /// What the key is; nothing where there is no such member.
  var keyType: FieldType? { members.first { $0.identity == key }?.type }

  /// The shape before the current version; nil for a type that the current version introduced.
  var source: TypeShape?
  /// The shape when it was asked for last, which nothing has touched since if ``isTouched`` is not
  /// set.
  var latest: TypeShape?
  /// What the current version does to records, in order.
  var operations: [ResolvedOperation] = []
  /// Whether the current version touched the type at all.
  var isTouched = false
  var renamings: [Renaming] = []
  /// Members whose name was taken by a rename and that wait for a rename of their own.
  var displaced: [MemberIdentity] = []
  /// Cases that the current version renamed to ones that there were, by those.
  var joinedCases: [MemberIdentity: [Value: Value]] = [:]
  /// Names that the current version already removed.
  var removedNames: Set<String> = []
  var hasRewrite = false
  /// The barrier of the current version that touches the type.
  var barrierID: String?

  init(name: String, identity: TypeIdentity, key: MemberIdentity, members: [Member]) {
    self.name = name
    self.identity = identity
    self.key = key
    self.members = members
  }

  /// Forgets what belongs to the version that just ended.
  mutating func startVersion() {
    source = latest
    operations = []
    isTouched = false
    renamings = []
    displaced = []
    joinedCases = [:]
    removedNames = []
    hasRewrite = false
    barrierID = nil
  }

  func index(named name: String) -> Int? { members.firstIndex { $0.name == name } }

  func index(of identity: MemberIdentity) -> Int? {
    members.firstIndex { $0.identity == identity }
  }

  func shape() throws(SchemaError) -> TypeShape {
    guard let keyIndex = index(of: key) else {
      throw .invalidShape(type: name, reason: "the key was removed")
    }
    return try TypeShape(
      name: name, identity: identity, keyMember: members[keyIndex].name,
      members: members.map { MemberShape(name: $0.name, type: $0.type, identity: $0.identity) })
  }
}

extension FieldType {
  /// The same type with the identities of embedded members, which have no meaning, in one form.
  var normalized: FieldType {
    switch self {
    case .optional(let inner): .optional(inner.normalized)
    case .list(let inner): .list(inner.normalized)
    case .dictionary(let inner): .dictionary(inner.normalized)
    case .object(let members):
      .object(members.map { MemberShape($0.name, $0.type.normalized) })
    default: self
    }
  }
}
