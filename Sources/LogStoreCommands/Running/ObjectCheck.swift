internal import ObjectStore
internal import SchemaRegistry

/// Reads the catalog and decodes every object in the shape it is stored in.
struct ObjectCheck {
  /// Listed problems; more of them are counted only.
  static let problemCountMaximum = 1000

  private(set) var objectCount: UInt64 = 0
  private(set) var problemCount: UInt64 = 0
  /// What could not be decoded, as sentences.
  private(set) var problems: [String] = []

  /// Checks the store at `path`, of which every byte was verified.
  static func check(_ path: String, bar: ProgressBar) throws -> ObjectCheck {
    var check = ObjectCheck()
    let store: Store
    do throws(StoreError) {
      store = try Store.open(at: path, configuration: .inspection)
    } catch {
      guard CommandError(error).status == .corruption else { throw error }
      check.add(error)
      return check
    }
    let snapshot = store.snapshot()
    let total = try store.statistics().objectCount
    for type in store.sortedTypes {
      let objects = try snapshot.objects(ofType: type.name)
      while try check.takeNext(of: objects) {
        bar.update(
          Progress(
            completed: check.objectCount, total: total, objectCount: check.objectCount))
      }
    }
    return check
  }

  /// Decodes the next object; false after the last.
  private mutating func takeNext(of objects: DynamicObjectCursor) throws -> Bool {
    switch Result(catching: { () throws(StoreError) in try objects.next() }) {
    case .success(nil): return false
    case .success: objectCount += 1
    case .failure(.schema(let error)): add(.schema(error))
    case .failure(let error): throw error
    }
    return true
  }

  /// Counts an object that cannot be decoded.
  mutating func add(_ error: StoreError) {
    problemCount += 1
    if problems.count < Self.problemCountMaximum { problems.append(error.description) }
  }
}
