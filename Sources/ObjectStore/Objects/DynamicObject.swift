public import SchemaRegistry

/// An object whose type is known at run time only: its members by name.
public struct DynamicObject: Sendable, Equatable {
  /// The shape of the object's type.
  public let shape: TypeShape
  /// The members; every member of the shape has a value, `null` where it is absent.
  public private(set) var members: [String: Value]

  /// The name of the object's type.
  public var typeName: String { shape.name }
  /// The value of the primary key.
  public var key: Value { members[shape.keyMember] ?? .null }

  /// A member's value, or nothing when the type has no such member.
  public subscript(name: String) -> Value? {
    get { members[name] }
    set {
      guard members[name] != nil && newValue != nil else {
        fatalError(
          "a member that is set must belong to the type \(shape.name), and has a value: \(name)")
      }
      members[name] = newValue
    }
  }

  /// An object of `shape` with the given members; those left out are absent.
  ///
  /// - Throws: a schema error that names a member which the type does not have.
  public init(shape: TypeShape, values: [String: Value]) throws(StoreError) {
    self.shape = shape
    members = [:]
    for member in shape.members { members[member.name] = values[member.name] ?? .null }
    for name in values.keys.sorted() where members[name] == nil {
      throw .schema(
        .invalidValue(type: shape.name, member: name, reason: "the type has no such member"))
    }
  }

  /// The object of a payload in `shape`.
  init(shape: TypeShape, key: Value, payload: [UInt8]) throws(StoreError) {
    self.shape = shape
    let values = try StoreError.schema { () throws(SchemaError) in
      try RecordPayload.decode(payload, key: key, shape: shape)
    }
    members = Dictionary(
      zip(shape.members.map(\.name), values), uniquingKeysWith: { first, _ in first })
  }

  /// The key's bytes and the payload.
  func encode() throws(StoreError) -> (key: [UInt8], payload: [UInt8]) {
    let values = shape.members.map { members[$0.name] ?? .null }
    let shape = shape
    let key = key
    return try StoreError.schema { () throws(SchemaError) in
      let payload = try RecordPayload.encode(values, shape: shape)
      return (try KeyCoding.encode(key, as: shape.keyType), payload)
    }
  }
}
