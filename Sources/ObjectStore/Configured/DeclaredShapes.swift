internal import LogStore
internal import SchemaRegistry

/// Which types of a store an app declared under which version.
///
/// The shape of a version that an app wrote which knows a part of the types has the others as they
/// were last, so that they can be read. Nobody declared these there: the version says nothing of
/// what they are, no object of theirs has it, and their objects wait for an app that knows them.
struct DeclaredShapes {
  private let catalog: SchemaCatalog
  /// The types and versions that have live objects.
  private let live: Set<CollectionVersion>
  /// The shapes of all versions, the newest first.
  private let shapes: [SchemaShape]

  init(
    _ catalog: SchemaCatalog, records: [(version: CollectionVersion, totals: RecordTotals)]
  ) {
    self.catalog = catalog
    live = Set(records.filter { $0.totals.recordCount > 0 }.map(\.version))
    shapes = catalog.shapes.values.reversed()
  }

  /// Whether an app that wrote `version` declared the type.
  ///
  /// A version that no configuration wrote, or a history besides, declares all that it has. So does
  /// an object, whoever wrote it.
  private func isDeclared(_ type: TypeIdentity, at version: SchemaVersion) -> Bool {
    guard let models = catalog.models[version], catalog.ledger[version] == nil else { return true }
    if models[type] != nil { return true }
    guard let collection = catalog.collections[type] else { return false }
    return live.contains(
      CollectionVersion(collection: collection, schemaVersion: version.rawValue))
  }

  /// The types that were declared under a version; nothing when the store does not have it.
  func types(at version: SchemaVersion) -> [TypeShape]? {
    catalog.shapes[version]?.types.filter { isDeclared($0.identity, at: version) }
  }

  /// The newest version that declares a type of that name, and the type. Nothing when the newest of
  /// all versions that tell of the store lacks it: it was never there, or was removed.
  func newest(_ name: String) -> (version: SchemaVersion, type: TypeShape)? {
    for shape in shapes {
      guard let type = shape.type(named: name) else { return nil }
      if isDeclared(type.identity, at: shape.version) { return (shape.version, type) }
    }
    return nil
  }

  /// The newest version that declares a type, of those below `end`.
  func newestVersion(
    of type: TypeIdentity, before end: SchemaVersion? = nil
  ) -> SchemaVersion? {
    let shape = shapes.first { shape in
      end.map { shape.version < $0 } != false && shape.type(type) != nil
        && isDeclared(type, at: shape.version)
    }
    return shape?.version
  }
}
