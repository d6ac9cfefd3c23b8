internal import SchemaRegistry

/// Throws where the type of a member, or of what is inside of it, cannot be stored: before it is
/// asked for something that ends the process, or bytes are written that do not fit their shape.
struct StorableTypeVisitor: MemberVisitor {
  /// The member that is looked at, and the model that has it.
  struct Place {
    let model: String
    let path: String
  }

  /// Where the embedded object is whose members are visited. Nothing in `Codable` types: their
  /// values are written as their shape has them.
  private let place: Place?

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    try Self.check(
      member: Member.self,
      at: place.map { Place(model: $0.model, path: "\($0.path).\(name)") })
  }

  /// Most types of members are known, and need neither the runtime nor a text of where they are.
  static func check(
    member type: any StorableValue.Type, at place: @autoclosure () -> Place?
  ) throws(StoreError) {
    if LibraryScalars.areHeld(by: type) { return }
    try check(type, at: place())
  }

  static func check(_ type: Any.Type, at place: Place?) throws(StoreError) {
    if LibraryScalars.contain(type) { return }
    if let link = type as? any LinkingValue.Type { return try link.checkTarget() }
    if let holder = type as? any HoldingValue.Type {
      return try check(holder.heldType, at: place)
    }
    if let embedded = type as? any EmbeddedObject.Type { return try visit(embedded, at: place) }
    let raw = type as? any RawRepresentable.Type
    if let raw { try check(rawType(of: raw), at: place) }
    guard let place, let storable = type as? any StorableValue.Type,
      storable.memberType.isOptional != storable.isOptional
    else { return }
    throw .schema(
      .invalidShape(
        type: place.model,
        reason:
          "\(place.path) holds a \(type), whose \(raw == nil ? "memberType" : "raw value") is "
          + "optional; give it one that is not, and hold a \(type)?"))
  }

  private static func visit<Embedded: EmbeddedObject>(
    _ embedded: Embedded.Type, at place: Place?
  ) throws(StoreError) {
    try EmbeddedPath.entering(embedded) {
      Result { () throws(StoreError) in
        var (object, visitor) = (Embedded(), StorableTypeVisitor(place: place))
        try object.visitMembers(&visitor)
      }
    }
    .get()
  }

  static func rawType<Raw: RawRepresentable>(of type: Raw.Type) -> Any.Type {
    Raw.RawValue.self
  }
}
