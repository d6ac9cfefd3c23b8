internal import SchemaRegistry

/// Collects the names and types of a model's members.
struct ShapeVisitor: MemberVisitor {
  /// What an object is asked for: one at a time, as the objects in an embedded one would be asked
  /// for all, several times as often on every level.
  enum Question { case types, links, cases }

  private(set) var members: [(name: String, type: FieldType)] = []
  /// The members, or paths into them, that link to other types.
  private(set) var links: [(member: String, target: String)] = []
  /// The Swift types of the members, which list the cases of enumerations.
  private(set) var types: [(member: String, type: any StorableValue.Type)] = []
  /// Whether the members come as values by name only.
  private(set) var isCoded = false
  private let question: Question
  /// The name of the model whose members' types are checked; nothing inside of embedded objects,
  /// which are checked with the member that they are in.
  private let model: String?
  /// The member of that model which is its key.
  private let key: String

  init(_ question: Question, of model: String? = nil, key: String = "") {
    self.question = question
    self.model = model
    self.key = key
  }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    switch question {
    case .types:
      let path = name.description
      if let model {
        try StorableTypeVisitor.check(member: Member.self, at: .init(model: model, path: path))
        if path == key { try StorableTypeVisitor.check(key: value, path, of: model) }
      }
      members.append((path, Member.memberType))
    case .links: noteLinks(of: Member.self, name)
    case .cases: types.append((name.description, Member.self))
    }
  }

  private mutating func noteLinks<Member: StorableValue>(
    of type: Member.Type, _ name: StaticString
  ) {
    for (path, target) in type.linkTargets.sorted(by: { $0.key < $1.key }) {
      links.append((path.isEmpty ? name.description : "\(name).\(path)", target))
    }
  }

  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {
    members += types
    isCoded = true
  }

  /// The members of `model`, in the order in which it visits them.
  static func members<Model: StorableObject>(
    of model: Model.Type
  ) throws(StoreError) -> [(name: String, type: FieldType)] {
    try visitor(of: model, .types).members
  }

  /// The links of all `models`.
  static func links(of models: [any StorableObject.Type]) throws(StoreError) -> [MemberLink] {
    var links: [MemberLink] = []
    for model in models {
      let visitor = try visitor(of: model, .links)
      var all = visitor.links
      if visitor.isCoded, let coded = model as? any Decodable.Type {
        all += MemberProbe.links(of: coded).map { ($0.path, $0.target) }
      }
      for (member, target) in all {
        links.append(MemberLink(type: model.typeName, member: member, target: target))
      }
    }
    return links
  }

  /// The cases of members of all `models`.
  static func cases(of models: [any StorableObject.Type]) throws(StoreError) -> [MemberCases] {
    var cases: [MemberCases] = []
    for model in models {
      let visitor = try visitor(of: model, .cases)
      var all = visitor.types.flatMap { member, type in type.caseLists(in: member) }
      if visitor.isCoded, let coded = model as? any Decodable.Type {
        // What the visitor just did without an error is done once more.
        all += (try? MemberProbe.cases(of: coded)) ?? []
      }
      for (member, found) in all where !found.isEmpty {
        cases.append(MemberCases(type: model.typeName, member: member, cases: found))
      }
    }
    return cases
  }

  /// A visitor that saw an object of `model`.
  static func visitor<Model: StorableObject>(
    of model: Model.Type, _ question: Question
  ) throws(StoreError) -> ShapeVisitor {
    // Making an object of one that cannot be stored ends the process.
    try model.checkStorableMembers()
    var visitor = ShapeVisitor(question, of: model.typeName, key: model.primaryKey)
    var object = Model()
    try object.visitMembers(&visitor)
    return visitor
  }
}

extension StorableValue {
  /// The cases of a member of this type and of what is inside of it, each with its path.
  static func caseLists(in member: String) -> [(member: String, cases: [Value])] {
    caseLists.sorted { $0.key < $1.key }.map { path, cases in
      (path.isEmpty ? member : "\(member).\(path)", cases)
    }
  }
}
