public import BinaryCoding
internal import FileIO
public import SchemaRegistry

/// How a model's members lie in the store's current shape of its type.
///
/// A class, so that reading an object counts one reference and not all it holds.
@usableFromInline
final class ModelBinding: Sendable {
  let shape: TypeShape
  private let keyType: FieldType
  // Of the shape, for each object of a walk.
  @usableFromInline let keyIndex: Int
  @usableFromInline let optionalCount: Int
  /// Whether the model visits its members in the shape's order, so that bytes need no detour.
  @usableFromInline let isInOrder: Bool
  /// Members that the store has and the model has not, with their values in new objects.
  let hidden: [String: Value]
  /// Members whose embedded objects have such members.
  private let embedded: [(name: String, binding: EmbeddedBinding)]
  /// What is read of objects that the model cannot hold.
  private let failures: ModelFailures
  /// How members store integers that were asked for, by name.
  private let signs = Lock<[String: IntegerSign]>([:])
  /// Reads an object, and forgets it.
  private let trial:
    @Sendable (ModelBinding, Value, UnsafeRawBufferPointer) throws(StoreError) -> Void

  /// Whether the store has something that the model has not.
  var hidesMembers: Bool { !hidden.isEmpty || !embedded.isEmpty }

  /// `defaults` are what hidden members have in new objects; zero for those left out.
  init<Model: StorableObject>(
    _ model: Model.Type, shape: TypeShape,
    defaults: [MemberIdentity: RecordedDefault] = [:],
    failures: ModelFailures = ModelFailures()
  ) throws(StoreError) {
    self.shape = shape
    self.failures = failures
    trial = { (binding, key, payload) throws(StoreError) in
      var object = Model()
      try binding.decodeStored(key: key, payload: payload, into: &object)
    }
    keyType = shape.keyType
    keyIndex = shape.keyIndex
    optionalCount = shape.layout.optionalCount
    let visitor = try ShapeVisitor.visitor(of: model, .types)
    let members = visitor.members
    var (object, keys) = (Model(), ElementIdentityVisitor())
    try object.visitMembers(&keys)
    var hidden: [String: Value] = [:]
    var embedded: [(name: String, binding: EmbeddedBinding)] = []
    var lost: [(path: String, type: FieldType)] = []
    for member in shape.members {
      let recorded = defaults[member.identity] ?? RecordedDefault()
      if let known = members.first(where: { $0.name == member.name }) {
        let binding = EmbeddedBinding(
          knowing: keys.identities, model: known.type, store: member.type, defaults: recorded,
          path: member.name, lost: &lost)
        if let binding { embedded.append((member.name, binding)) }
      } else {
        hidden[member.name] = recorded.value(as: member.type)
      }
    }
    guard lost.isEmpty else {
      throw .schema(
        .notAdditive(
          changes: lost.map { .memberRemoved(type: shape.name, member: $0.path, held: $0.type) },
          withoutDefault: []))
    }
    self.hidden = hidden
    self.embedded = embedded
    // Embedded objects have an order too, which the text of their types shows.
    isInOrder =
      !visitor.isCoded
      && members.map { "\($0.name): \($0.type)" } == shape.members.map { "\($0.name): \($0.type)" }
  }

  /// How a member of the bound model stores integers. The model is asked once for each member.
  func sign<Model: StorableObject>(
    ofMember name: String, in model: Model.Type
  ) throws(StoreError) -> IntegerSign {
    if let known = signs.withLock({ signs in signs[name] }) { return known }
    let sign = try MemberTypes(of: model).sign(of: name)
    signs.withLock { signs in signs[name] = sign }
    return sign
  }

  /// The key's bytes and the payload of an object, which is visited where it is: it was given.
  @inlinable
  func encode<Model: StorableObject>(
    _ object: consuming Model
  ) throws(StoreError) -> (key: [UInt8], payload: [UInt8]) {
    guard isInOrder else { return try encodeByName(object) }
    var writer = ByteWriter(capacity: 256)
    let key = try write(object, to: &writer)
    return (try bytes(of: key), writer.array())
  }

  /// Writes the payload of an object that visits its members in the shape's order; returns its key.
  @inlinable @inline(__always)
  func write<Model: StorableObject>(
    _ object: consuming Model, to writer: inout ByteWriter
  ) throws(StoreError) -> Value {
    try withUnsafeMutablePointer(to: &writer) { (lent) throws(StoreError) -> Value in
      var visitor = EncodingVisitor(
        optionalCount: optionalCount, keyIndex: keyIndex, writer: lent)
      try object.visitMembers(&visitor)
      return visitor.key
    }
  }

  @usableFromInline
  func bytes(of key: Value) throws(StoreError) -> [UInt8] {
    do throws(SchemaError) { return try KeyCoding.encode(key, as: keyType) } catch {
      throw .schema(error)
    }
  }

  /// The same for models that visit their members in another order, or have not all of them.
  @usableFromInline
  func encodeByName<Model: StorableObject>(
    _ object: consuming Model
  ) throws(StoreError) -> (key: [UInt8], payload: [UInt8]) {
    var visitor = ValueCollectingVisitor()
    try object.visitMembers(&visitor)
    var values = visitor.values.merging(hidden) { known, _ in known }
    for (name, binding) in embedded {
      guard let value = values[name] else { continue }
      values[name] = try completed(
        value, by: binding, over: nil, key: values[shape.keyMember] ?? .null)
    }
    return try DynamicObject(shape: shape, values: values).encode()
  }

  /// The payload of an object that replaces `old`, whose hidden members it keeps.
  func payload(
    _ encoded: (key: [UInt8], payload: [UInt8]), keepingHiddenOf old: DynamicObject
  ) throws(StoreError) -> [UInt8] {
    var object = try DynamicObject(shape: shape, key: old.key, payload: encoded.payload)
    for name in hidden.keys { object[name] = old[name] }
    for (name, binding) in embedded {
      guard let value = object[name] else { continue }
      object[name] = try completed(
        binding.reduced(value), by: binding, over: old[name], key: old.key)
    }
    return try object.encode().payload
  }

  private func completed(
    _ value: Value, by binding: EmbeddedBinding, over old: Value?, key: Value
  ) throws(StoreError) -> Value {
    do throws(ElementsNotToldApart) { return try binding.completed(value, over: old) } catch {
      throw .elementsNotToldApart(
        type: shape.name, keyText: KeyCoding.text(of: key), member: error.member)
    }
  }

  /// The object of a payload in the current shape.
  @inlinable
  func decode<Model: StorableObject>(
    _ model: Model.Type, key: Value, payload: [UInt8]
  ) throws(StoreError) -> Model {
    var object = Model()
    try payload.withBytes { (payload: UnsafeRawBufferPointer) throws(StoreError) in
      try decode(key: key, payload: payload, into: &object)
    }
    return consume object
  }

  /// The same for a payload that is lent and an object that is new.
  @inlinable
  func decode<Model: StorableObject>(
    key: Value, payload: UnsafeRawBufferPointer, into object: inout Model
  ) throws(StoreError) {
    do throws(StoreError) { try decodeStored(key: key, payload: payload, into: &object) } catch {
      try decodeInstead(of: payload, key: key, into: &object, error)
    }
  }

  /// The same of one that was looked up; nothing where the policy for failures gives another in its
  /// place that is not `meant`.
  @inlinable
  func decode<Model: StorableObject>(
    _ model: Model.Type, key: Value, payload: [UInt8], meant isMeant: (DynamicObject) -> Bool
  ) throws(StoreError) -> Model? {
    var object = Model()
    var isFound = true
    try payload.withBytes { (payload: UnsafeRawBufferPointer) throws(StoreError) in
      do throws(StoreError) { try decodeStored(key: key, payload: payload, into: &object) } catch {
        isFound = try decodeInstead(of: payload, key: key, into: &object, error, meant: isMeant)
      }
    }
    guard isFound else { return nil }
    return consume object
  }

  /// The same, whatever the policy for failures is.
  @inlinable @inline(__always)
  func decodeStored<Model: StorableObject>(
    key: Value, payload: UnsafeRawBufferPointer, into object: inout Model
  ) throws(StoreError) {
    guard isInOrder else { return try decodeByName(key: key, payload: payload, into: &object) }
    var visitor = DecodingVisitor(ByteReader(payload), key: key, keyIndex: keyIndex)
    do throws(StoreError) {
      try visitor.start(optionalCount: optionalCount)
      try object.visitMembers(&visitor)
      try visitor.finish()
    } catch { throw failure(of: visitor) ?? error }
  }

  /// Throws what reading an object throws that has no policy for failures.
  func check(key: Value, payload: [UInt8]) throws(StoreError) {
    try payload.withBytes { (payload: UnsafeRawBufferPointer) throws(StoreError) in
      try trial(self, key, payload)
    }
  }

  /// What could not be read; nothing when the model threw on its own.
  @usableFromInline
  func failure(of visitor: DecodingVisitor) -> StoreError? {
    switch visitor.failure {
    case .bytes(.unknownCase(let unknown, _), let place) where shape.members.indices ~= place:
      .schema(
        unknown.error(
          in: shape.members[place].name, of: shape.name, KeyCoding.text(of: visitor.key)))
    case .bytes(let cause, _): malformed(visitor.key, cause)
    case .key: .keyTypeMismatch(type: shape.name, expected: shape.keyType)
    case nil: nil
    }
  }

  /// The same for models that visit their members in another order, or have not all of them.
  @usableFromInline
  func decodeByName<Model: StorableObject>(
    key: Value, payload: UnsafeRawBufferPointer, into object: inout Model
  ) throws(StoreError) {
    try fill(
      &object, from: try DynamicObject(shape: shape, key: key, payload: [UInt8](payload)))
  }

  private func fill<Model: StorableObject>(
    _ object: inout Model, from found: DynamicObject, isGiven: Bool = false
  ) throws(StoreError) {
    var values = found.members
    for (name, binding) in embedded { values[name] = values[name].map { binding.reduced($0) } }
    var visitor = ValueFillingVisitor(
      type: shape.name, values: values, keyText: KeyCoding.text(of: found.key),
      isGiven: isGiven)
    try object.visitMembers(&visitor)
  }

  /// What the policy of the type gives for an object that failed with `error`; else throws that.
  /// False where it gives one that is not `meant`.
  @usableFromInline @discardableResult
  func decodeInstead<Model: StorableObject>(
    of payload: UnsafeRawBufferPointer, key: Value, into object: inout Model, _ error: StoreError,
    meant isMeant: (DynamicObject) -> Bool = { _ in true }
  ) throws(StoreError) -> Bool {
    guard case .schema(let cause) = error, case .unknownCase = cause,
      let fallback = failures.fallback
    else { throw error }
    let stored = try DynamicObject(shape: shape, key: key, payload: [UInt8](payload))
    let failed = FailedObject(members: stored.members, version: failures.version, error: cause)
    guard var values = fallback(failed) else { throw error }
    values[shape.keyMember] = key
    let given = try checked(DynamicObject(shape: shape, values: values))
    do throws(StoreError) { try fill(&object, from: given, isGiven: true) } catch {
      guard case .schema(.malformedPayload(let type, _, let reason)) = error else { throw error }
      // Nothing that is stored was refused.
      throw .schema(
        .invalidValue(
          type: type, member: "(Codable)",
          reason: "the policy for failures gave what it does not hold: \(reason)"))
    }
    return isMeant(given)
  }

  /// What a policy gave, with the nil that embedded objects leave out. Refuses values of other
  /// types, which cannot be compared and which a model that decodes itself may take for its own.
  ///
  /// What the model lacks may be left out: members, and those of embedded objects, which no look-up
  /// compares. What embedded objects hold besides is nobody's.
  private func checked(_ given: DynamicObject) throws(StoreError) -> DynamicObject {
    var checked = given
    for member in shape.members {
      let value = (given[member.name] ?? .null).trimmed(to: member.type)
        .completed(for: member.type)
      let mayLack =
        (value.isNull && hidden[member.name] != nil)
        || embedded.contains { $0.name == member.name }
      guard mayLack || value.isValid(for: member.type) else {
        throw .schema(
          .invalidValue(type: shape.name, member: member.name, reason: "\(member.type) expected"))
      }
      checked[member.name] = value
    }
    return checked
  }

  private func malformed(_ key: Value, _ cause: BinaryDecodingError) -> StoreError {
    .schema(
      .malformedPayload(
        type: shape.name, keyText: KeyCoding.text(of: key), reason: "\(cause)"))
  }
}
