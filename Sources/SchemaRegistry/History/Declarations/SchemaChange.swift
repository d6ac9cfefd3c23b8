/// One change of a version: operations on the records of a type, or a change of the set of types.
public enum SchemaChange: Sendable {
  /// Operations on every record of the type called `type`, in order.
  case records(type: String, operations: [RecordOperation])
  /// A new type, without records.
  case addType(Type)
  /// Another name for a type; its records stay.
  case renameType(from: String, to: String)
  /// The type and its records are gone; a later type of the same name is another type.
  case removeType(String)
  /// Something that runs once over whole types.
  case barrier(BarrierStep)

  /// Whether it runs once over whole types.
  var isBarrier: Bool {
    if case .barrier = self { true } else { false }
  }
}
