/// What the steps of all records of one type and version have in common. A class, as each record's
/// ``StepRunner`` would copy it else.
final class StepSubject: Sendable {
  let type: TypeIdentity
  let typeName: String
  let keyType: FieldType
  let fromVersion: SchemaVersion
  /// Whether closures run twice and must give the same result both times.
  let checksPurity: Bool

  init(
    _ type: TypeIdentity, _ shape: TypeShape, fromVersion: SchemaVersion, checksPurity: Bool
  ) {
    self.type = type
    typeName = shape.name
    keyType = shape.keyType
    self.fromVersion = fromVersion
    self.checksPurity = checksPurity
  }
}
