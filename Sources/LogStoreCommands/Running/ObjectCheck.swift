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
  /// What is stored of types that are gone, and was not decoded.
  private(set) var removed: [RemovedObjects] = []

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
    let statistics = try store.statistics()
    for lost in statistics.types where lost.identity == nil {
      check.addUndescribed(lost)
    }
    check.removed = try RemovedObjects.all(in: store)
    let total = statistics.objectCount
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

  /// Counts objects that no type's description tells how to read.
  private mutating func addUndescribed(_ lost: StoreStatistics.TypeTotals) {
    problemCount += lost.totals.recordCount
    let number = GroupedNumber(lost.totals.recordCount)
    problems.append(
      "\(lost.type) holds \(number) records that nothing describes: what did is lost, and they "
        + "cannot be read. Restore the store from a backup")
  }

  /// Counts an object that cannot be decoded.
  mutating func add(_ error: StoreError) {
    problemCount += 1
    if problems.count < Self.problemCountMaximum { problems.append(error.description) }
  }
}
