internal import ObjectStore
internal import SchemaRegistry

/// Reads the catalog and decodes every object in the shape it is stored in.
struct ObjectCheck {
  /// Listed problems; more of them are counted only.
  static let problemCountMaximum = 1000

  private(set) var objectCount: UInt64 = 0
  /// Objects that cannot be decoded.
  private(set) var problemCount: UInt64 = 0
  /// What could not be decoded, as sentences: of which one may tell of many objects.
  private(set) var problems: [String] = []
  /// Objects of which no sentence tells.
  private(set) var unlistedCount: UInt64 = 0
  /// What is stored of types that are gone, and was not decoded.
  private(set) var removed: [RemovedObjects] = []
  /// What kept the rest from being decoded.
  private(set) var failure: CommandError?

  /// Checks the store at `path`, of which every byte was verified. What fails otherwise than by
  /// what is stored ends the check, and is kept: what the bytes told is worth more.
  static func check(_ path: String, bar: ProgressBar) -> ObjectCheck {
    var check = ObjectCheck()
    let store: Store
    do throws(StoreError) {
      store = try Store.open(at: path, configuration: .inspection)
    } catch {
      let failure = CommandError(error)
      if failure.status == .corruption { check.add(error) } else { check.failure = failure }
      return check
    }
    do { try check.decodeAll(of: store, bar: bar) } catch { check.failure = CommandError(error) }
    return check
  }

  private mutating func decodeAll(of store: Store, bar: ProgressBar) throws {
    let snapshot = store.snapshot()
    let statistics = try store.statistics()
    for lost in UndescribedObjects.all(in: statistics) {
      addUndescribed(lost.type, recordCount: lost.count)
    }
    removed = RemovedObjects.all(in: store)
    for type in store.sortedTypes {
      let objects = try snapshot.objects(ofType: type.name)
      while try takeNext(of: objects) {
        bar.update(
          Progress(
            completed: objectCount, total: statistics.objectCount, objectCount: objectCount))
      }
    }
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
  mutating func addUndescribed(_ type: String, recordCount: UInt64) {
    add("\(UndescribedObjects(type: type, count: recordCount))", objectCount: recordCount)
  }

  /// Counts an object that cannot be decoded.
  mutating func add(_ error: StoreError) { add(error.description, objectCount: 1) }

  private mutating func add(_ problem: String, objectCount: UInt64) {
    problemCount += objectCount
    if problems.count < Self.problemCountMaximum {
      problems.append(problem)
    } else {
      unlistedCount += objectCount
    }
  }
}
