internal import SchemaRegistry

/// A `Codable` type that is stored without a visitor of its own.
///
///     struct Person: CodableObject {
///       static let primaryKey = "id"
///       var id: UUID
///       var name: String
///       var home: Address?        // Codable, too
///     }
///
/// Members are found by decoding the type once from placeholders, so it must decode every member
/// that it encodes, whatever their values are; enumerations must be `CaseIterable`. Nested types
/// become embedded objects. What may be nil is optional, and no optional of an optional. What is
/// left out is stored as nil, and `contains(_:)` is true of it: what a type takes for another value
/// than nil where it is not there, it must encode always. Several times slower than a visitor: for
/// types whose source cannot be changed, or to begin with.
///
/// What a new object begins with, which objects that are stored already get where a member is
/// added, only an `init()` of the type says. The compiler writes one where every member has an
/// initial value. Without it optionals begin as nil, and required members with nothing: a store
/// that is opened without a history refuses to add one.
public protocol CodableObject: Codable, StorableObject {}

extension CodableObject {
  /// An object of placeholders, for types that declare no `init()`: the store reads into it.
  ///
  /// - Precondition: the type can be stored; see ``CodableObject``.
  public init() {
    PlaceholderNotes.note(Self.self)
    do {
      self = try MemberProbe.placeholder(of: Self.self)
    } catch {
      fatalError("\(Self.self) must decode from placeholders to be stored: \(error)")
    }
  }

  public static func checkStorableMembers() throws(StoreError) {
    do { _ = try MemberProbe.members(of: Self.self) } catch let error as StoreError {
      // What a link leads to.
      throw error
    } catch {
      throw .schema(.invalidShape(type: typeName, reason: "\(error)"))
    }
  }

  public mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    var key = Value.null
    var members: [(name: String, type: FieldType)] = []
    do {
      members = try MemberProbe.members(of: Self.self)
      guard case .object(let object) = try CodedValueEncoder.value(of: self) else {
        throw CodingProblem(reason: "it does not encode its members by name")
      }
      try CodedValueEncoder.expect(object, only: members.map(\.name))
      var values: [String: Value] = [:]
      for (name, type) in members {
        values[name] = try CodedValueEncoder.fitted(object[name] ?? .null, to: type)
      }
      let before = values
      try visitor.members(members, &values)
      key = values[Self.primaryKey] ?? .null
      if values != before { self = try CodedValueDecoder.decode(Self.self, .object(values)) }
    } catch let error as StoreError {
      throw error
    } catch {
      if let found = CodedUnknownCase(beneath: error) {
        throw .schema(found.error(of: Self.typeName, KeyCoding.text(of: key)))
      }
      let held = FieldType.object(members.map { MemberShape($0.name, $0.type) })
      let reason = "\(error.tellingNoValues(of: held))"
      guard key.isNull else {
        // What is visited encoded itself, and has a key: what is read did not decode.
        throw .schema(
          .malformedPayload(
            type: Self.typeName, keyText: KeyCoding.text(of: key),
            reason: SchemaError.typeRefuses + reason))
      }
      throw .schema(.invalidValue(type: Self.typeName, member: "(Codable)", reason: reason))
    }
  }
}

/// Why a `Codable` type or value cannot be stored.
struct CodingProblem: Error, CustomStringConvertible {
  let reason: String
  var description: String { reason }

  init(reason: String) { self.reason = reason }

  /// The same with the member that it is about.
  init(reason: String, at codingPath: [any CodingKey]) {
    let path = codingPath.memberNames.joined(separator: ".")
    self.reason = path.isEmpty ? reason : "\(path): \(reason)"
  }
}
