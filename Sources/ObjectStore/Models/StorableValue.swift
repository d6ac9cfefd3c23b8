public import BinaryCoding
public import SchemaRegistry

/// A Swift type that a member of an object may have.
///
/// Bool, all integers, Float, Double, String, Data, Date, UUID, Decimal, URL, ``Link``, embedded
/// objects, enumerations with raw values, their optionals, arrays, sets and string-keyed
/// dictionaries conform. The bytes are those of the record payload format.
public protocol StorableValue: Sendable {
  /// The type in the schema.
  static var memberType: FieldType { get }
  /// Whether the value may be absent; true for optionals only.
  static var isOptional: Bool { get }
  /// The type of what a value has one or several of: of the value of an optional, the elements of a
  /// list or set, and the values of a dictionary. Nothing for all others.
  static var heldValueType: (any StorableValue.Type)? { get }
  /// The names of the types that the value links to, by the path of the link in it; the empty path
  /// is the value itself. Nothing for most.
  static var linkTargets: [String: String] { get }
  /// All the values that there are, as stored, where the type lists its cases; for collections
  /// those of their elements. Nothing for most.
  ///
  /// Asked when a store is opened whose history declares cases. A type may say its own: fewer than
  /// `allCases` has, or none, so that nothing is compared.
  static var storedCases: [Value] { get }
  /// The same for what is inside of embedded objects, by the path of the member in the value; the
  /// empty path is the value itself. Nothing for most.
  static var caseLists: [String: [Value]] { get }
  /// What the members of the embedded object begin with that this is, or has one or several of;
  /// nothing for all others.
  static var embeddedInitialValues: EmbeddedInitialValues? { get }
  /// By what elements of lists and sets are known that are not known by how they look and where
  /// they are, by the path of the list in it; the empty path is the value itself.
  static var elementIdentities: [String: ElementIdentity] { get }
  /// Whether this value is absent; such a value is not encoded.
  var isAbsent: Bool { get }
  /// The absent value, for optionals; nothing for all others.
  static var absentValue: Self? { get }
  /// Writes a value that is not absent.
  func encode(to writer: inout ByteWriter)
  /// Reads what ``encode(to:)`` wrote; any other bytes throw.
  static func decode(from reader: inout ByteReader) throws(BinaryDecodingError) -> Self
  /// The same, in place of what `value` is; like an assignment unless a type knows better.
  static func decode(
    from reader: inout ByteReader, into value: inout Self
  ) throws(BinaryDecodingError)
  /// The same value in dynamic form.
  var dynamicValue: Value { get }
  /// The value of a dynamic one, or nothing when it has another type.
  init?(dynamicValue: Value)
}

extension StorableValue {
  @inlinable public static var isOptional: Bool { false }
  public static var heldValueType: (any StorableValue.Type)? { nil }
  public static var linkTargets: [String: String] { [:] }
  public static var storedCases: [Value] { [] }
  public static var caseLists: [String: [Value]] {
    let cases = storedCases
    return cases.isEmpty ? [:] : ["": cases]
  }
  public static var embeddedInitialValues: EmbeddedInitialValues? { nil }
  public static var elementIdentities: [String: ElementIdentity] { [:] }
  @inlinable public var isAbsent: Bool { false }
  @inlinable public static var absentValue: Self? { nil }
  @inlinable public static func decode(
    from reader: inout ByteReader, into value: inout Self
  ) throws(BinaryDecodingError) {
    value = try decode(from: &reader)
  }
}

/// A type that a primary key may have.
public protocol StorableKey: StorableValue {}
