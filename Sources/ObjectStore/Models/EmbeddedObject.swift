public import BinaryCoding
public import SchemaRegistry

/// A struct that lives inside of objects: it has members but no key, and no life of its own.
///
///     struct Address: EmbeddedObject {
///       var street = ""
///       var city: String?
///       mutating func visitMembers<Visitor: MemberVisitor>(
///         _ visitor: inout Visitor
///       ) throws(StoreError) {
///         try visitor.member("street", &street)
///         try visitor.member("city", &city)
///       }
///     }
///
/// It may stand alone, be optional, or be an element of lists and dictionaries. One that is public
/// must be declared `Sendable`, which Swift infers for others.
public protocol EmbeddedObject: StorableValue {
  /// The member whose value tells elements of a list apart; empty, for none, unless given.
  ///
  /// For additive stores: an app that does not know all members of an element can change it then,
  /// and it stays the one that it was. The member holds one value, neither a list nor an object.
  /// Where a value is absent, or two elements have the same, elements are known by how they look to
  /// the app. Elements that are optional are always known by that. A list in a list is the one that
  /// it was if an element with the same key is in it.
  static var elementKey: String { get }
  /// An object whose members are about to be read. Its values are those of members that an additive
  /// store adds inside of objects which are stored already.
  init()
  /// Visits every member once, always in the same order, with the names of the schema; throws
  /// nothing but what the visitor throws.
  mutating func visitMembers<Visitor: MemberVisitor>(_ visitor: inout Visitor) throws(StoreError)
}

extension EmbeddedObject {
  public static var elementKey: String { "" }

  public static var elementIdentities: [String: ElementIdentity] {
    described(by: ElementIdentityVisitor()).identities
  }

  public static var memberType: FieldType {
    .object(
      described(by: ShapeVisitor(.types)).members.map { member in
        MemberShape(member.name, member.type)
      })
  }

  public static var linkTargets: [String: String] {
    var targets: [String: String] = [:]
    let links = described(by: ShapeVisitor(.links)).links
    for link in links { targets[link.member] = link.target }
    return targets
  }

  public static var caseLists: [String: [Value]] {
    var lists: [String: [Value]] = [:]
    for (member, type) in described(by: ShapeVisitor(.cases)).types {
      for (path, cases) in type.caseLists(in: member) { lists[path] = cases }
    }
    return lists
  }

  public static var embeddedInitialValues: EmbeddedInitialValues? {
    let first = described(by: InitialValueVisitor())
    return first.initial.common(with: described(by: InitialValueVisitor(after: first)).initial)
  }

  public func encode(to writer: inout ByteWriter) {
    let optionalCount = visited(by: OptionalCountingVisitor()).count
    withUnsafeMutablePointer(to: &writer) { lent in
      _ = visited(by: EncodingVisitor(optionalCount: optionalCount, keyIndex: nil, writer: lent))
    }
  }

  public static func decode(
    from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Self {
    var object = Self()
    var visitor = DecodingVisitor(reader)
    do throws(StoreError) {
      try visitor.start(optionalCount: object.visited(by: OptionalCountingVisitor()).count)
      try object.visitMembers(&visitor)
      if visitor.failure != nil { throw DecodingVisitor.stop }
    } catch {
      guard case .bytes(let cause, let place) = visitor.failure else {
        throw .invalidValue(offset: reader.offset, reason: "\(error)")
      }
      guard case .unknownCase(var unknown, let offset) = cause else { throw cause }
      let members = described(by: ShapeVisitor(.types)).members
      if members.indices.contains(place) { unknown.path.insert(members[place].name, at: 0) }
      throw .unknownCase(unknown, offset: offset)
    }
    reader = visitor.reader
    return object
  }

  public var dynamicValue: Value { .object(visited(by: ValueCollectingVisitor()).values) }

  public init?(dynamicValue: Value) {
    guard case .object(let values) = dynamicValue else { return nil }
    var visitor = ValueFillingVisitor(type: "\(Self.self)", values: values)
    self.init()
    do throws(StoreError) { try visitMembers(&visitor) } catch { return nil }
  }

  /// `visitor` after it saw a new object, whose members it may ask for what is inside of them.
  private static func described<Visitor: MemberVisitor>(by visitor: Visitor) -> Visitor {
    EmbeddedPath.entering(Self.self) { Self().visited(by: visitor) }
  }

  /// `visitor` after it saw a copy of this object; for visitors that never throw.
  private func visited<Visitor: MemberVisitor>(by visitor: Visitor) -> Visitor {
    var (object, visitor) = (self, visitor)
    do throws(StoreError) {
      try object.visitMembers(&visitor)
    } catch {
      fatalError("\(Self.self) must throw nothing of its own from visitMembers: \(error)")
    }
    return visitor
  }
}
