internal import SchemaRegistry

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// An object in a migration: its members by name, as Swift values.
///
/// Integers of all widths are `Int`, lists are `[Any]`, embedded objects and dictionaries are
/// `[String: Any]`. Used only while the closure runs that it was given to.
public final class MigrationObject {
  /// The name of the object's type.
  public let typeName: String
  let key: Value
  private(set) var values: [String: Value]
  /// What was set, by name.
  private(set) var changed: Set<String> = []
  private let types: [String: FieldType]
  private let swiftTypes: MemberTypes
  private let keyMember: String
  private let isReadOnly: Bool
  var isDeleted = false
  /// The first mistake that could not be thrown where it was made.
  private(set) var fault: String?
  /// Called when a member was set, for objects that are stored as they change.
  var didChange: ((MigrationObject) -> Void)?

  init(
    shape: TypeShape, typeName: String, values: [String: Value], isReadOnly: Bool,
    types: [String: FieldType]? = nil, swiftTypes: MemberTypes = .unknown
  ) {
    self.swiftTypes = swiftTypes
    self.typeName = typeName
    keyMember = shape.keyMember
    key = values[shape.keyMember] ?? .null
    self.values = values
    self.isReadOnly = isReadOnly
    self.types =
      types
      ?? Dictionary(
        shape.members.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
  }

  /// The value of a member; nothing when it is absent. Old objects and keys cannot be set.
  ///
  /// What is set is stored as the member's Swift type writes it: a text in a `Decimal` without
  /// needless zeros.
  public subscript(name: String) -> Any? {
    get {
      guard let value = values[name] else {
        note("\(typeName) has no member \(name) in this version")
        return nil
      }
      return value.swiftValue
    }
    set {
      guard !isReadOnly else { return note("the old object cannot be changed: \(name) was set") }
      guard let type = types[name] else {
        return note("\(typeName) has no member \(name) in this version")
      }
      guard name != keyMember else {
        return note("\(name) is the primary key, which a migration block cannot change")
      }
      guard
        let given = Value(swiftValue: newValue, for: type, of: { swiftTypes.sign(of: name) })
      else {
        return note(
          "\(typeName).\(name) is \(type), and was set to a value of another type, or to a number "
            + "that it cannot hold exactly; convert the value first")
      }
      do throws(MemberTypes.Refusal) {
        values[name] = try swiftTypes.stored(given, in: name)
      } catch {
        return note(
          "\(typeName).\(name) is \(error.type), which cannot hold what it was set to; convert the "
            + "value first")
      }
      changed.insert(name)
      didChange?(self)
    }
  }

  /// The names of the members, sorted.
  public var memberNames: [String] { values.keys.sorted() }

  private func note(_ text: String) {
    if fault == nil { fault = text }
    didChange?(self)
  }
}
