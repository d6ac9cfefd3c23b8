/// How the integers in values of a Swift type are stored: as they are, or as the bits of unsigned
/// ones, which look negative from 2^63 on.
enum IntegerSign: Equatable, Sendable {
  case signed
  case unsigned
  /// In embedded objects: those of their members, by name.
  case members([String: IntegerSign])
  /// There are none, or nobody knows.
  case unknown

  /// That of a type, or of what its values hold.
  init(of type: Any.Type) {
    if type is any StorableBitPattern.Type {
      self = .unsigned
    } else if type is any FixedWidthInteger.Type {
      self = .signed
    } else if type is any LinkingValue.Type {
      // No key is a number of which the bits are stored.
      self = .signed
    } else if let holder = type as? any HoldingValue.Type {
      self = IntegerSign(of: holder.heldType)
    } else if let embedded = type as? any EmbeddedObject.Type {
      self = .members(Self.signs(in: embedded))
    } else if let raw = type as? any RawRepresentable.Type {
      self = IntegerSign(of: StorableTypeVisitor.rawType(of: raw))
    } else if !(type is any StorableValue.Type), let coded = type as? any Decodable.Type {
      self = MemberProbe.integerSign(of: coded)
    } else {
      self = .unknown
    }
  }

  private static func signs<Embedded: EmbeddedObject>(
    in embedded: Embedded.Type
  ) -> [String: IntegerSign] {
    EmbeddedPath.entering(embedded) {
      var (object, visitor) = (Embedded(), ShapeVisitor(.cases))
      // Of one that throws nothing more is known.
      do throws(StoreError) { try object.visitMembers(&visitor) } catch {}
      var signs: [String: IntegerSign] = [:]
      for (member, type) in visitor.types { signs[member] = IntegerSign(of: type) }
      return signs
    }
  }

  /// That of a member of the embedded object.
  func inside(_ name: String) -> IntegerSign {
    guard case .members(let signs) = self else { return self }
    return signs[name] ?? .unknown
  }
}
