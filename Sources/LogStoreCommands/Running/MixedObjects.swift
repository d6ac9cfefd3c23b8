internal import ObjectStore
internal import SchemaRegistry

/// Objects of a type that were written under several versions, and have the shapes of those where
/// no history upgrades them. Members that exchanged their names make another shape, too.
struct MixedObjects: CustomStringConvertible {
  let type: String
  /// Ascending.
  let versions: [SchemaVersion]

  /// Those of `types` in an open store, in that order.
  static func all(of types: [TypeShape], in store: Store) -> [MixedObjects] {
    let schemas = store.storedSchemas
    var versions: [TypeIdentity: Set<SchemaVersion>] = [:]
    for totals in store.liveTypes where totals.totals.recordCount > 0 {
      if let identity = totals.identity { versions[identity, default: []].insert(totals.version) }
    }
    return types.compactMap { type in
      guard let found = versions[type.identity] else { return nil }
      let shapes = Set(
        found.map { version in
          (schemas[version]?.type(type.identity)?.members ?? [])
            .map { member in
              let identity = member.identity
              return [
                member.name, "\(member.type)", identity.originalName, "\(identity.introducedIn)",
              ]
            }
        })
      return shapes.count > 1 ? MixedObjects(type: type.name, versions: found.sorted()) : nil
    }
  }

  var description: String {
    "objects of \(type) were written under versions "
      + versions.map { "\($0)" }.joined(separator: ", ")
      + ", and each is shown in the shape of its own; give --history for one shape"
  }
}
