public import BinaryCoding
public import SchemaRegistry

/// A reference to an object of another type, or of the same, by its primary key.
///
/// What is stored is the key alone, as a member of the key's type: following a link is a look-up
/// (``StoreSnapshot/get(_:)``), and the object may have been deleted since. Optional links and
/// lists of links are optionals and lists.
///
/// A required link always means some key. One that was never set is a placeholder: looking it up
/// gives nothing. Stored, it is the key 0, the empty text, no bytes, or the UUID of zeros, and what
/// is read back means the object with that key, if there can be one. Where a link may be unset,
/// declare `Link<Target>?`.
///
/// Where a model is `Codable` besides, for JSON say, its links are their bare keys.
public struct Link<Target: StorableObject>: StorableValue, Hashable {
  /// The key, or null in a placeholder: types may link in circles, so no object of the other is
  /// made before somebody asks what key it has.
  private let known: Value

  /// The primary key of the object that is meant.
  public var key: Value { known.isNull ? Self.memberType.unwrapped.zeroValue : known }

  /// Whether it was never set, nor read from a store.
  @usableFromInline var isPlaceholder: Bool { known.isNull }

  /// A link to the object with that key.
  ///
  /// - Precondition: the key is of the type that the target's key has.
  public init<Key: StorableKey>(key: Key) {
    // The objects that are made to see the types of keys may link back: their links are not
    // checked, nobody sees them.
    if !LinkTypes.isSeeking {
      let type = Self.memberType
      guard Key.memberType == type else {
        fatalError("a link to \(Target.self) holds a key of type \(type), not \(Key.memberType)")
      }
    }
    known = key.dynamicValue
  }

  /// A link to `object`, which need not be stored yet.
  public init(to object: Target) { known = Self.keyMember(of: object).value }

  public static var memberType: FieldType {
    LinkTypes.keyType(of: Target.self) {
      let key = keyMember(of: Target())
      guard let type = key.type else {
        fatalError("\(Target.self) must visit its primary key \(Target.primaryKey)")
      }
      return type
    }
  }

  public static var linkTargets: [String: String] { ["": Target.typeName] }

  private static func keyMember(of object: Target) -> KeyTypeVisitor {
    var object = object
    var visitor = KeyTypeVisitor(Target.primaryKey)
    do throws(StoreError) {
      try object.visitMembers(&visitor)
    } catch {
      fatalError("\(Target.self) must throw nothing of its own from visitMembers")
    }
    return visitor
  }

  public func encode(to writer: inout ByteWriter) {
    switch key {
    case .int(let value): PayloadPrimitives.writeInt64(value, to: &writer)
    case .string(let value): PayloadPrimitives.writeString(value, to: &writer)
    case .data(let value): PayloadPrimitives.writeData(value, to: &writer)
    case .uuid(let value): PayloadPrimitives.writeUUID(value, to: &writer)
    default: fatalError("the key of \(Target.self) must have one of the types of keys")
    }
  }

  public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Link<Target> {
    switch memberType {
    case .int32: Link(stored: .int(Int64(try PayloadPrimitives.readInt32(from: &reader))))
    case .int64: Link(stored: .int(try PayloadPrimitives.readInt64(from: &reader)))
    case .string: Link(stored: .string(try PayloadPrimitives.readString(from: &reader)))
    case .data: Link(stored: .data(try PayloadPrimitives.readData(from: &reader)))
    case .uuid: Link(stored: .uuid(try PayloadPrimitives.readUUID(from: &reader)))
    default: fatalError("the key of \(Target.self) must have one of the types of keys")
    }
  }

  /// A link to the object with a key that was read.
  init(stored key: Value) { known = key }

  public var dynamicValue: Value { key }

  public init?(dynamicValue: Value) {
    guard dynamicValue.isValid(for: Self.memberType) else { return nil }
    known = dynamicValue
  }

  /// Whether both have the same key, so that what was stored and read equals what it was: a link
  /// that was never set equals one to the key that it is stored as.
  ///
  /// Texts are compared byte for byte, as keys are: two that are canonically equal, with composed
  /// and decomposed accents say, are keys of two objects.
  public static func == (left: Link, right: Link) -> Bool { left.key == right.key }

  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension Link: CustomStringConvertible {
  /// The type and the key that are meant, as in `Author(7)`; without a key for one that was never
  /// set.
  public var description: String {
    "\(Target.typeName)(\(isPlaceholder ? "" : KeyCoding.text(of: known)))"
  }
}

extension Link: LinkingValue {
  static func checkTarget() throws(StoreError) { try LinkTypes.check(Target.self) }
}

extension Link: PlaceholderValue {
  /// A link to no object, until it is stored and read; see ``Link``.
  public static var placeholder: Link<Target> { Link(stored: .null) }
}
