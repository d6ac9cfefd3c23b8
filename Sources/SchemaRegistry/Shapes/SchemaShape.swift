/// Every type of one schema version, as stored in the log's catalog.
public struct SchemaShape: Hashable, Sendable {
  /// The version that this schema belongs to.
  public let version: SchemaVersion
  /// The types, each name and each identity once.
  public let types: [TypeShape]

  /// A checked schema: names and identities are unique, the version is not the reserved one.
  public init(version: SchemaVersion, types: [TypeShape]) throws(SchemaError) {
    guard version != .reserved else { throw .reservedVersion }
    guard types.count <= SchemaLimits.typeCount else {
      throw .invalidShape(
        type: "schema \(version)",
        reason: "\(types.count) types are more than the limit of \(SchemaLimits.typeCount)")
    }
    var names = Set<String>()
    let identities = types.map(\.identity).sorted()
    for type in types {
      guard names.insert(type.name).inserted else {
        throw .invalidShape(
          type: type.name,
          reason: "the type name is used twice; of two Swift types with one name, as nested ones "
            + "may have, one needs a `static let typeName`")
      }
    }
    for (one, next) in zip(identities, identities.dropFirst()) where one == next {
      let name = types.last { $0.identity == one }?.name ?? one.originalName
      throw .invalidShape(type: name, reason: "the type's identity is used twice")
    }
    self.version = version
    self.types = types
  }

  /// The type called `name`.
  public func type(named name: String) -> TypeShape? { types.first { $0.name == name } }

  /// The type that is `identity`, whatever it is called here.
  public func type(_ identity: TypeIdentity) -> TypeShape? {
    types.first { $0.identity == identity }
  }
}
