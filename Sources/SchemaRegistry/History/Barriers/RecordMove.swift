internal import BinaryCoding

/// Which objects of a type go to another one, and what becomes of their members.
public struct RecordMove: Sendable {
  /// The name of the type that they leave.
  public let type: String
  /// The name of the type that they go to.
  public let target: String
  /// The members that the condition reads.
  public let inputs: [String]
  /// Gives true for the objects that go.
  public let condition: Computation
  /// What members of the other type hold where the object has none, or nil.
  public let defaults: [String: Value]
  /// The members that the other type does not have, whose values are lost.
  public let dropping: [String]
  /// What happens when the other type has an object with the key.
  public let onExisting: ExistingKeys

  public init(
    type: String, target: String, inputs: [String], condition: Computation,
    defaults: [String: Value] = [:], dropping: [String] = [], onExisting: ExistingKeys = .fail
  ) {
    self.type = type
    self.target = target
    self.inputs = inputs
    self.condition = condition
    self.defaults = defaults
    self.dropping = dropping
    self.onExisting = onExisting
  }

  /// Whether an object of `shape` with these members goes.
  ///
  /// - Throws: ``SchemaError/migrationFailed(type:keyText:fromVersion:operationID:underlying:)``
  ///   when the condition has no answer for it.
  package func moves(
    _ members: [String: Value], key: [UInt8], shape: TypeShape, version: SchemaVersion,
    operationID: String
  ) throws(SchemaError) -> Bool {
    // Not checked for purity: it is asked once, and the answer is what is stored.
    let subject = StepSubject(
      shape.identity, shape, fromVersion: version, checksPurity: false)
    let answer = try key.withBytes { (key: UnsafeRawBufferPointer) throws(SchemaError) in
      try StepRunner(subject: subject, key: key, committedAt: 0).compute(
        condition, names: inputs, values: inputs.map { members[$0] ?? .null }, type: .bool,
        keepsNil: false, operationID: operationID)
    }
    return answer == true
  }

  /// What an object that goes has in `shape`, which is that of the other type.
  package func members(
    _ members: [String: Value], from source: TypeShape, in shape: TypeShape
  ) -> [String: Value] {
    var moved: [String: Value] = [:]
    for member in shape.members {
      let old = member.name == source.keyMember ? nil : members[member.name]
      moved[member.name] = old.flatMap { $0.isNull ? nil : $0 } ?? defaults[member.name] ?? .null
    }
    moved[shape.keyMember] = members[source.keyMember] ?? .null
    return moved
  }
}
