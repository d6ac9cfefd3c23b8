internal import BinaryCoding
internal import SchemaRegistry

/// How a model's members lie in the store's current shape of its type.
struct ModelBinding: Sendable {
  let shape: TypeShape
  /// Whether the model visits its members in the shape's order, so that bytes need no detour.
  let isInOrder: Bool

  init<Model: StorableObject>(_ model: Model.Type, shape: TypeShape) throws(StoreError) {
    self.shape = shape
    let visitor = try ShapeVisitor.visitor(of: model)
    let members = visitor.members
    // Embedded objects have an order too, which the text of their types shows.
    isInOrder =
      !visitor.isCoded
      && members.map { "\($0.name): \($0.type)" } == shape.members.map { "\($0.name): \($0.type)" }
  }

  /// The key's bytes and the payload of an object.
  func encode<Model: StorableObject>(
    _ object: Model
  ) throws(StoreError) -> (key: [UInt8], payload: [UInt8]) {
    var copy = object
    guard isInOrder else {
      var visitor = ValueCollectingVisitor()
      try copy.visitMembers(&visitor)
      return try DynamicObject(shape: shape, values: visitor.values).encode()
    }
    var writer = ByteWriter(capacity: 256)
    let key = try withUnsafeMutablePointer(to: &writer) { (lent) throws(StoreError) -> Value in
      var visitor = EncodingVisitor(
        optionalCount: shape.layout.optionalCount, keyIndex: shape.keyIndex, writer: lent)
      try copy.visitMembers(&visitor)
      return visitor.key
    }
    let keyType = shape.keyType
    let keyBytes = try StoreError.schema { () throws(SchemaError) in
      try KeyCoding.encode(key, as: keyType)
    }
    return (keyBytes, writer.array())
  }

  /// The object of a payload in the current shape.
  func decode<Model: StorableObject>(
    _ model: Model.Type, key: Value, payload: [UInt8]
  ) throws(StoreError) -> Model {
    try payload.withBytes { (payload: UnsafeRawBufferPointer) throws(StoreError) in
      try decode(model, key: key, payload: payload)
    }
  }

  /// The same for a payload that is lent.
  func decode<Model: StorableObject>(
    _ model: Model.Type, key: Value, payload: UnsafeRawBufferPointer
  ) throws(StoreError) -> Model {
    var object = Model()
    guard isInOrder else {
      let values = try DynamicObject(shape: shape, key: key, payload: [UInt8](payload)).members
      var visitor = ValueFillingVisitor(type: shape.name, values: values)
      try object.visitMembers(&visitor)
      return object
    }
    var visitor: DecodingVisitor
    do throws(BinaryDecodingError) {
      visitor = try DecodingVisitor(payload, key: key, shape: shape)
    } catch {
      throw .schema(
        .malformedPayload(
          type: shape.name, keyText: KeyCoding.text(of: key), reason: "\(error)"))
    }
    try object.visitMembers(&visitor)
    try visitor.finish()
    return object
  }
}
