internal import FileIO
internal import SchemaRegistry

/// What is known of the types that links lead to.
enum LinkTypes {
  /// The models that are asked whether they can be stored, as links lead to them.
  @TaskLocal private static var checked: Set<ObjectIdentifier> = []

  /// Throws when a model cannot be stored: asking for the type of its key would end the process.
  static func check<Target: StorableObject>(_ target: Target.Type) throws(StoreError) {
    let model = ObjectIdentifier(target)
    // Links may lead in circles.
    if checked.contains(model) || keyTypes.withLock({ $0[model] != nil }) { return }
    try $checked.withValue(checked.union([model])) {
      EmbeddedPath.leaving {
        Result { () throws(StoreError) in try target.checkStorableMembers() }
      }
    }.get()
  }

  /// The models of which objects are being made to see what keys they have: they may link back.
  @TaskLocal private static var sought: Set<ObjectIdentifier> = []

  private static let keyTypes = Lock<[ObjectIdentifier: FieldType]>([:])

  /// In place of the type of a key that is being sought: one that no key has.
  private static let standIn = FieldType.optional(.int64)

  /// Whether an object is being made that nobody keeps, to see what keys and members it has.
  static var isSeeking: Bool { !sought.isEmpty || !checked.isEmpty }

  /// The type of the key of a model, found once: reading a link makes no object of the other.
  static func keyType<Target: StorableObject>(
    of target: Target.Type, _ find: () -> FieldType
  ) -> FieldType {
    let model = ObjectIdentifier(target)
    if let known = keyTypes.withLock({ types in types[model] }) { return known }
    // Nobody looks at the types of links where the key is looked for.
    if sought.contains(model) || checked.contains(model) { return standIn }
    // Not in the lock: the object that is made may have links itself.
    let found = $sought.withValue(sought.union([model])) { EmbeddedPath.leaving(find) }
    // Such a key is a link to the one that is sought around it, or holds one.
    if found == standIn, isSeeking { return standIn }
    let type = found.unwrapped
    keyTypes.withLock { types in types[model] = type }
    return type
  }
}
