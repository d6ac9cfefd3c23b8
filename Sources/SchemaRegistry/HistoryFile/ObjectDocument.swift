/// The members of one object as JSON, with values in the forms of history files.
public struct ObjectDocument: Decodable, Sendable {
  private let tree: DocumentTree

  /// Reads any JSON; its meaning is checked against a shape.
  public init(from decoder: any Decoder) throws { tree = try DocumentTree(from: decoder) }

  /// All members by name; throws for unknown ones, wrong values, and required ones left out.
  public func members(of type: TypeShape) throws(SchemaError) -> [String: Value] {
    let object = FieldType.object(type.members)
    let value = try DocumentPlace(tree: tree).value(of: object)
    guard case .object(let members) = value.completed(for: object) else { return [:] }
    return members
  }
}
