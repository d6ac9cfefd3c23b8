import FileIO
import ObjectStore
import StorageTestSupport

/// A model whose members are drawn at run time, one version at a time in the whole process.
struct DrawnModel: StorableObject {
  /// A member, and which one it is whatever it is called.
  struct Member {
    var name: String
    var type: FieldType
    var initial: Value
    let number: Int
    /// How it holds embedded objects; its type and initial value follow from their members then.
    var embedding: Embedding?
  }

  /// How a member holds embedded objects.
  enum Embedding: CaseIterable {
    case one, optional, list
  }

  struct Version {
    var members: [Member] = []
    var formerNames: [String: [String]] = [:]
    /// Those of embedded objects.
    var inside: [Member] = [
      Member(name: "always", type: .int64, initial: .int(7), number: -1, embedding: nil)
    ]
  }

  /// What is embedded in members, with values that have the names and types of the version.
  struct Inside: EmbeddedObject, Sendable {
    var values: [String: Value]

    init() {
      values = DrawnModel.initial(DrawnModel.version.inside)
    }

    init(_ values: [String: Value]) { self.values = values }

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      for member in DrawnModel.version.inside {
        try visit(&visitor, DrawnModel.staticName(member.name), member.type)
      }
    }

    private mutating func visit<Visitor: MemberVisitor>(
      _ visitor: inout Visitor, _ name: StaticString, _ type: FieldType
    ) throws(StoreError) {
      let value = values[name.description, default: .null]
      var integer = if case .int(let value) = value { Int(value) } else { Int?.none }
      var text = if case .string(let value) = value { value } else { String?.none }
      switch (type.unwrapped, type.isOptional) {
      case (.string, true): try visitor.member(name, &text)
      case (.string, false): try visitor.member(name, &text!)
      case (_, true): try visitor.member(name, &integer)
      case (_, false): try visitor.member(name, &integer!)
      }
      values[name.description] =
        text.map { .string($0) } ?? integer.map { .int(Int64($0)) } ?? .null
    }
  }

  static let drawn = Lock(Version())
  private static var version: Version { drawn.withLock { $0 } }
  private static func initial(_ members: [Member]) -> [String: Value] {
    Dictionary(members.map { ($0.name, $0.initial) }) { first, _ in first }
  }

  static let typeName = "Drawn"
  static let primaryKey = "id"
  static var formerNames: [String: [String]] { version.formerNames }

  var id = 0
  /// Of members that hold no embedded objects.
  var values: [String: Value]
  var ones: [String: Inside] = [:]
  var optionals: [String: Inside] = [:]
  var lists: [String: [Inside]] = [:]

  init() {
    values = Self.initial(Self.version.members.filter { $0.embedding == nil })
  }

  /// Gives a member a value of its type.
  mutating func set(_ member: Member, to value: Value) {
    switch (member.embedding, value) {
    case (.one, .object(let members)): ones[member.name] = Inside(members)
    case (.optional, .object(let members)): optionals[member.name] = Inside(members)
    case (.list, .list(let objects)):
      lists[member.name] = objects.map { object in
        if case .object(let members) = object { Inside(members) } else { Inside() }
      }
    case (.some, _): break
    default: values[member.name] = value
    }
  }

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    let members = Self.version.members
    try visitor.member("id", &id)
    for member in members {
      guard let embedding = member.embedding else { continue }
      let name = Self.staticName(member.name)
      switch embedding {
      case .one: try visitor.member(name, &ones[member.name, default: Inside()])
      case .optional: try visitor.member(name, &optionals[member.name])
      case .list: try visitor.member(name, &lists[member.name, default: []])
      }
    }
    let others = members.filter { $0.embedding == nil }
    try visitor.members(others.map { ($0.name, $0.type) }, &values)
  }

  /// What members may be called, and those of embedded objects.
  static let names = staticNames[..<7].map(\.description)
  static let insideNames = staticNames[7..<11].map(\.description)
  private static let staticNames: [StaticString] = [
    "a", "b", "c", "d", "e", "f", "g", "p", "q", "r", "s", "always",
  ]
  private static func staticName(_ name: String) -> StaticString {
    staticNames.first { $0.description == name } ?? "?"
  }
}
