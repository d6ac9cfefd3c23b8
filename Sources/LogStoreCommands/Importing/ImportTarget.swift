internal import FileIO
internal import LogStore
internal import ObjectStore
internal import SchemaRegistry

/// Finds out in which shape a type is imported, and opens the store for it.
///
/// In this order: the history's latest shape; the shape that the store has; the inferred one.
struct ImportTarget {
  /// The store, open for writing.
  let store: Store
  /// The shape of the imported type.
  let shape: TypeShape
  /// Whether the shape was inferred and is new to the store.
  let isInferred: Bool

  /// What the arguments ask for.
  struct Request {
    let path: String
    let type: String
    let key: String?
    let infersShape: Bool
    let history: SchemaHistory?
  }

  /// Opens the store; it is created, and barriers run, only when everything else fits together.
  /// `check` is asked before that whether rows of the input can have a shape that it was not
  /// inferred from.
  static func open(
    _ request: Request, check checkRows: (TypeShape) throws -> Void,
    infer: (_ key: String) throws -> TypeShape
  ) throws -> ImportTarget {
    if let history = request.history { return try open(request, under: history, checkRows) }
    if let known = try knownSchema(at: request.path)?.type(named: request.type) {
      try check(request.key, known)
      try checkRows(known)
      let store = try Store.open(at: request.path, configuration: .maintenance)
      return ImportTarget(store: store, shape: try store.type(request.type), isInferred: false)
    }
    guard request.infersShape else {
      throw CommandError.usage(
        "the store has no type \(request.type) yet; add --infer to find its members in the input, "
          + "or --history FILE to declare them")
    }
    guard let key = request.key else {
      throw CommandError.usage("--infer needs --key MEMBER, the member that identifies an object")
    }
    let shape = try infer(key)
    let store = try Store.open(at: request.path, adding: [shape], configuration: .filling)
    return ImportTarget(store: store, shape: try store.type(request.type), isInferred: true)
  }

  private static func open(
    _ request: Request, under history: SchemaHistory, _ checkRows: (TypeShape) throws -> Void
  ) throws -> ImportTarget {
    guard !request.infersShape else {
      throw CommandError.usage("give either --infer or --history, not both")
    }
    let version = history.latestVersion
    guard let shape = try history.shape(at: version).type(named: request.type) else {
      throw CommandError.usage(
        "version \(version) of the history has no type \(request.type); add it to the history")
    }
    try check(request.key, shape)
    try checkRows(shape)
    let store = try Store.open(
      at: request.path, history: history, configuration: .filling)
    return ImportTarget(store: store, shape: try store.type(request.type), isInferred: false)
  }

  private static func check(_ key: String?, _ shape: TypeShape) throws(CommandError) {
    guard let key, key != shape.keyMember else { return }
    throw .usage("the key of \(shape.name) is \(shape.keyMember), not \(key)")
  }

  /// The schema that is written now; nothing when there is no store yet.
  private static func knownSchema(at path: String) throws(StoreError) -> SchemaShape? {
    do throws(StoreError) {
      return try Store.open(at: path, configuration: .inspection).schema
    } catch .log(.storeNotFound) {
      return nil
    }
  }
}
