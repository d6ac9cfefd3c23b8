/// A new type: `AddType("Pet", key: "id") { Field("id", .int64) }`, the same as `Type` in a version.
public struct AddType: Hashable, Sendable {
  public let type: Type

  public init(_ name: String, key keyMember: String, @FieldBuilder fields: () -> [Field]) {
    type = Type(name: name, keyMember: keyMember, fields: fields())
  }
}
