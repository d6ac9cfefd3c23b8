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
/// become embedded objects. Several times slower than a visitor: for types whose source cannot be
/// changed, or to begin with.
public protocol CodableObject: Codable, StorableObject {}

extension CodableObject {
  /// An object of placeholders.
  ///
  /// - Precondition: the type can be stored; see ``CodableObject``.
  public init() {
    do {
      self = try MemberProbe.placeholder(of: Self.self)
    } catch {
      preconditionFailure("\(Self.self) must decode from placeholders to be stored: \(error)")
    }
  }

  public mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    do {
      let members = try MemberProbe.members(of: Self.self)
      guard case .object(let object) = try CodedValueEncoder.value(of: self) else {
        throw CodingProblem(reason: "it does not encode its members by name")
      }
      var values: [String: Value] = [:]
      for (name, type) in members {
        values[name] = CodedValueEncoder.fitted(object[name] ?? .null, to: type)
      }
      let before = values
      try visitor.members(members, &values)
      if values != before { self = try CodedValueDecoder.decode(Self.self, .object(values)) }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .schema(
        .invalidValue(type: Self.typeName, member: "(Codable)", reason: "\(error)"))
    }
  }
}

/// Why a `Codable` type or value cannot be stored.
struct CodingProblem: Error, CustomStringConvertible {
  let reason: String
  var description: String { reason }
}
