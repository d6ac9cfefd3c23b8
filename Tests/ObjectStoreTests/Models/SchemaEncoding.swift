import ObjectStore

/// The registry's own bytes of a value: what typed encoding must agree with.
enum SchemaEncoding {
  /// The bytes of `value` as the only member of an object.
  static func payload(of value: Value, as type: FieldType) throws -> [UInt8] {
    let shape = try TypeShape(
      name: "Holder", identity: TypeIdentity(introducedIn: 0, originalName: "Holder"),
      keyMember: "key", members: [MemberShape("key", .int64), MemberShape("value", type)])
    return try RecordPayload.encode([.int(0), value], shape: shape)
  }
}
