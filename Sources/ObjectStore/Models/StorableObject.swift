/// A type whose values are kept in a store.
///
/// One method names the members; shape, encoding and decoding follow from it, at the speed of
/// straight code when the members are visited in the order in which the store keeps them.
///
///     struct Person: StorableObject {
///       static let primaryKey = "id"
///       var id = 0
///       var name = ""
///       mutating func visitMembers<Visitor: MemberVisitor>(
///         _ visitor: inout Visitor
///       ) throws(StoreError) {
///         try visitor.member("id", &id)
///         try visitor.member("name", &name)
///       }
///     }
///
/// A struct, or a final class. Nothing is kept between calls: every read makes a new object, and
/// one that was changed is stored when it is put.
///
/// Swift infers `Sendable` for structs that are not public only: declare it for a public model, as
/// in `public struct Person: StorableObject, Sendable`, so that its objects may go to other
/// threads.
public protocol StorableObject: SendableMetatype {
  /// The type's name in the schema; the Swift name unless given.
  static var typeName: String { get }
  /// The member whose value identifies an object: an integer, a string, a UUID or bytes.
  static var primaryKey: String { get }
  /// The members by whose values objects are looked up; none unless given.
  static var indexes: [IndexDeclaration] { get }
  /// Former names of members by their names now, the newest first, for stores that are opened by a
  /// configuration: the values stay. `["now": ["before", "old"]]` says of a member that it was
  /// called `before`, and `old` before that; either may be the name of another member since.
  ///
  /// Additive stores, whose members keep their names, refuse a member that they know by such a name
  /// alone. In stores with a history that says what is renamed.
  static var formerNames: [String: [String]] { get }
  /// An object whose members are about to be read. Its values are the defaults of members that are
  /// new to stored objects, in stores that are opened without a history. It must not make objects
  /// of types that make this one in turn; see ``Link/placeholder``.
  init()
  /// Throws when the type cannot be stored, which is known of `Codable` ones alone; asked before an
  /// object is made. Nothing to implement.
  static func checkStorableMembers() throws(StoreError)
  /// Visits every member once, always in the same order, with the names of the schema.
  mutating func visitMembers<Visitor: MemberVisitor>(_ visitor: inout Visitor) throws(StoreError)
}

extension StorableObject {
  public static var typeName: String { String(describing: Self.self) }
  public static var indexes: [IndexDeclaration] { [] }
  public static var formerNames: [String: [String]] { [:] }
  public static func checkStorableMembers() throws(StoreError) {}
}
