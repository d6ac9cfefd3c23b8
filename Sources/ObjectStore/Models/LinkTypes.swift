internal import FileIO
internal import SchemaRegistry

/// What is known of the types that links lead to.
enum LinkTypes {
  /// Whether an object is being made to check the key of a link to it.
  @TaskLocal static var areChecked = false

  /// The models that are asked whether they can be stored, as links lead to them.
  @TaskLocal private static var checked: Set<ObjectIdentifier> = []

  /// Throws when a model cannot be stored: asking for the type of its key would end the process.
  static func check<Target: StorableObject>(_ target: Target.Type) throws(StoreError) {
    let model = ObjectIdentifier(target)
    // Links may lead in circles.
    if checked.contains(model) || keyTypes.withLock({ $0[model] != nil }) { return }
    try $checked.withValue(checked.union([model])) {
      Result { () throws(StoreError) in try target.checkStorableMembers() }
    }.get()
  }

  /// The models of which objects are being made to see what keys they have: they may link back.
  @TaskLocal private static var sought: Set<ObjectIdentifier> = []

  private static let keyTypes = Lock<[ObjectIdentifier: FieldType]>([:])

  /// The type of the key of a model, found once: reading a link makes no object of the other.
  static func keyType<Target: StorableObject>(
    of target: Target.Type, _ find: () -> (type: FieldType, isLink: Bool)
  ) -> FieldType {
    let model = ObjectIdentifier(target)
    if let known = keyTypes.withLock({ types in types[model] }) { return known }
    // Nobody looks at the types of links where the key is looked for.
    if isSought(target) { return .int64 }
    // Not in the lock: the object that is made may have links itself.
    let found = $sought.withValue(sought.union([model])) { find() }
    // That of a key which is a link may be of the one that is sought around it.
    if found.isLink, !sought.isEmpty || !checked.isEmpty { return found.type }
    keyTypes.withLock { types in types[model] = found.type }
    return found.type
  }

  /// Whether an object of a model is being made to see what key it has.
  static func isSought<Target: StorableObject>(_ target: Target.Type) -> Bool {
    sought.contains(ObjectIdentifier(target)) || checked.contains(ObjectIdentifier(target))
  }
}
