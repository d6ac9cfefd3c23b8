/// A new type, as `Type` in a version: `AddType("Pet", key: "id") { Field("id", .int64) }`.
public struct AddType: Hashable, Sendable {
  /// The declared type.
  public let type: Type

  /// A new type with `keyMember` as its primary key.
  public init(_ name: String, key keyMember: String, @FieldBuilder fields: () -> [Field]) {
    type = Type(name: name, keyMember: keyMember, fields: fields())
  }
}
