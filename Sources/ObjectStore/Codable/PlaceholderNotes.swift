internal import FileIO

/// Notes which types are made of placeholders, as they do not say what an object begins with.
///
/// Whether a type has an `init()` of its own cannot be asked: a protocol's is called like it. That
/// one notes itself here.
final class PlaceholderNotes: Sendable {
  @TaskLocal private static var current: PlaceholderNotes?
  private let types = Lock<Set<ObjectIdentifier>>([])

  /// A new object, and whether all that is in it are placeholders.
  static func object<Model: StorableObject>(
    of model: Model.Type
  ) -> (object: Model, isPlaceholder: Bool) {
    let notes = PlaceholderNotes()
    let object = $current.withValue(notes) { Model() }
    let type = ObjectIdentifier(model)
    return (object, notes.types.withLock { types in types.contains(type) })
  }

  static func note(_ type: any StorableObject.Type) {
    let type = ObjectIdentifier(type)
    current?.types.withLock { types in _ = types.insert(type) }
  }
}
