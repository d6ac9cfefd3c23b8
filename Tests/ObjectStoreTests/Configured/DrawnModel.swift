import FileIO
import ObjectStore
import StorageTestSupport

/// A model whose members are drawn at run time, one version at a time in the whole process.
struct DrawnModel: StorableObject {
  /// A member, and which one it is whatever it is called.
  struct Member: Equatable {
    var name: String
    var type: FieldType
    var initial: Value
    let number: Int

    static func == (left: Member, right: Member) -> Bool {
      left.name == right.name && left.number == right.number
        && left.type.description == right.type.description
    }
  }

  struct Version {
    var members: [Member] = []
    var formerNames: [String: [String]] = [:]
  }

  static let drawn = Lock(Version())
  private static var version: Version { drawn.withLock { $0 } }

  static let typeName = "Drawn"
  static let primaryKey = "id"
  static var formerNames: [String: [String]] { version.formerNames }

  var id = 0
  var values: [String: Value]

  init() {
    values = Dictionary(Self.version.members.map { ($0.name, $0.initial) }) { first, _ in first }
  }

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
    try visitor.members(Self.version.members.map { ($0.name, $0.type) }, &values)
  }
}
