internal import LogStore
internal import SchemaRegistry

/// Completing indexes that were added to objects which were there before.
extension Store {
  private static let batchCount = 500
  private static let conflictCountMaximum = 100

  /// The indexes that are not complete, as `Type.member`; look-ups by them read all objects.
  ///
  /// Only those that ``buildIndexes(progress:)`` of this app completes: what a newer app added to
  /// members that this one does not know is left to that one.
  public var incompleteIndexes: [String] {
    let plan = reader.schema.indexes
    let adopted = plan.adopted(by: reader.catalog)
    return adopted.filter { $0.phase == .building }.compactMap { index in
      guard let type = schema.type(index.type), index.version <= plan.version,
        !plan.outdated.contains(index.collection),
        let member = type.members.first(where: { $0.identity == index.member })
      else { return nil }
      return "\(type.name).\(member.name)"
    }
    .sorted()
  }

  /// The unique members of a type whose values are not compared with those that objects have, as
  /// this store is open: its index is not complete, or may not be asked, and no model declares it.
  package func uncomparedUniqueMembers(ofType name: String) -> [String] {
    guard let type = schema.type(named: name) else { return [] }
    let (catalog, plan) = (reader.catalog, reader.schema.indexes)
    guard !plan.modelTypes.contains(type.identity) else { return [] }
    return catalog.maintainedIndexes(of: type.identity).filter { index in
      index.isUnique
        && plan.usable(
          index.member, of: index.type, isOfElements: index.isOfElements, in: catalog) == nil
    }
    .compactMap { index in type.members.first { $0.identity == index.member }?.name }.sorted()
  }

  /// Completes the indexes that are not complete, and removes those that nobody declares any more.
  ///
  /// Works in transactions of some hundred objects, so readers and writers go on meanwhile and a
  /// kill loses nothing: the next call goes through the objects again. Costs reading every object
  /// of the types concerned, and of complete indexes those whose value was not known when they were
  /// made; to tell which objects share a unique value, the keys of each unique index, and objects
  /// of which it holds the same. Memory stays constant, but for these. `progress` is given the
  /// objects read so far and may end the work by returning false. Not in the body of a write.
  /// - Throws: ``StoreError/log(_:)`` with the first damaged record that was met, once the
  ///   other indexes were built; those that would hold that object stay incomplete.
  @discardableResult
  public func buildIndexes(
    progress: (UInt64) -> Bool = { _ in true }
  ) throws(StoreError) -> IndexBuildReport {
    log.expectOutsideTransaction("building indexes")
    var report = IndexBuildReport()
    let plan = reader.schema.indexes
    if plan.adopted(by: reader.catalog) != reader.catalog.indexes {
      try change { (transaction) throws(StoreError) in try transaction.describeSchema() }
    }
    let kept = reader.catalog.indexes.filter { !plan.outdated.contains($0.collection) }
    let building = kept.filter { $0.phase == .building }
    var damage: StoreError?
    /// Goes through the keys from `start` on, in one transaction after another; false when the work
    /// is to end. What is damaged is told at the end: it concerns no other index.
    func goThrough(
      from start: [UInt8], _ part: (StoreTransaction, [UInt8]) throws(StoreError) -> [UInt8]?
    ) throws(StoreError) -> Bool {
      var position: [UInt8]? = start
      do throws(StoreError) {
        while let start = position {
          position = try change { (transaction) throws(StoreError) in
            try part(transaction, start)
          }
          guard progress(report.objectCount) else { return false }
        }
      } catch {
        guard case .log(let cause) = error, cause.damage != nil else { throw error }
        damage = damage ?? error
      }
      return true
    }
    for type in Set(building.map(\.type)).sorted() {
      let goesOn = try goThrough(from: []) { (transaction, start) throws(StoreError) in
        try transaction.extendIndexes(
          of: type, from: start, count: Self.batchCount, report: &report)
      }
      guard goesOn else { return report }
    }
    for index in kept where index.phase == .ready {
      let goesOn = try goThrough(from: IndexedValueCoding.unknown) {
        (transaction, start) throws(StoreError) in
        try transaction.placeUnknown(
          of: index, from: start, count: Self.batchCount, report: &report)
      }
      guard goesOn else { return report }
    }
    for index in reader.catalog.indexes where index.phase == .retired {
      let goesOn = try goThrough(from: []) { (transaction, start) throws(StoreError) in
        try transaction.removeKeys(
          of: index, after: start, count: Self.batchCount, removedCount: &report.removedCount)
      }
      guard goesOn else { return report }
    }
    if let damage { throw damage }
    let count = report.objectCount
    report.conflicts = try conflicts { progress(count) }
    return report
  }

  /// A write whose body throws errors of the store only.
  private func change<Result>(
    _ body: (StoreTransaction) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    do { return try write(body) } catch {
      guard let error = error as? StoreError else {
        fatalError("a write throws what its body throws, and that is no \(type(of: error))")
      }
      throw error
    }
  }

  /// Ends early, with what was found until then, when `goesOn` says no; asked now and then.
  private func conflicts(
    goesOn: () -> Bool
  ) throws(StoreError) -> [IndexBuildReport.Conflict] {
    let snapshot = reading.snapshot(of: log, lasting: true)
    var conflicts: [IndexBuildReport.Conflict] = []
    var isStopped = false
    for index in snapshot.catalog.indexes where index.isUnique && index.phase == .ready {
      guard !isStopped, let shape = schema.type(index.type),
        let member = shape.members.firstIndex(where: { $0.identity == index.member }),
        // The next write may retire it: it may hold what the member had under an older version.
        snapshot.reader.schema.indexes.usable(
          index.member, of: index.type, isOfElements: index.isOfElements,
          in: snapshot.catalog)?.collection == index.collection
      else { continue }
      conflicts += try snapshot.conflicts(
        of: shape, member: member, index: index,
        limit: Self.conflictCountMaximum - conflicts.count
      ) {
        isStopped = !goesOn()
        return !isStopped
      }
    }
    return conflicts
  }
}

extension StoreTransaction {
  /// Puts the keys of up to `count` objects, from the one at `start` on, into the indexes of their
  /// type that are being built. Returns where to go on; at the end the indexes become complete, but
  /// for those that have no room for a key of an object.
  func extendIndexes(
    of type: TypeIdentity, from start: [UInt8], count: Int, report: inout IndexBuildReport
  ) throws(StoreError) -> [UInt8]? {
    let outdated = reader.schema.indexes.outdated
    let indexes = catalog.indexes.filter {
      $0.type == type && $0.phase == .building && !outdated.contains($0.collection)
    }
    guard let shape = reader.schema.shape.type(type) else { return nil }
    guard let collection = catalog.collections[type] else {
      try finishIndexes(indexes, of: shape, report)
      return nil
    }
    let lookups = indexes.compactMap { index in lookup(by: index).map { (index, $0) } }
    let records = try StoreError.log { () throws(LogError) in
      try transaction.records(in: collection, keys: KeyRange(from: .including(start)))
    }
    for _ in 0..<count {
      let next = try StoreError.log { () throws(LogError) in try records.next() }
      guard let next else {
        try finishIndexes(indexes, of: shape, report)
        return nil
      }
      report.objectCount += 1
      for (index, lookup) in lookups {
        if try !add(next.key, to: index, lookup) {
          report.note(
            try reader.decodeKey(next.key, shape), of: shape,
            member: shape.members[lookup.member].name)
        }
      }
    }
    let next = try StoreError.log { () throws(LogError) in try records.next() }
    guard let next else {
      try finishIndexes(indexes, of: shape, report)
      return nil
    }
    return next.key
  }

  /// How values of the member are found that an index is of; nothing when its type has no member of
  /// that kind, or no object.
  private func lookup(by index: StoredIndex) -> MemberLookup? {
    guard let shape = reader.schema.shape.type(index.type),
      let collection = catalog.collections[index.type],
      let member = shape.members.firstIndex(where: { $0.identity == index.member })
    else { return nil }
    let lookup = MemberLookup(
      source: transaction, reader: reader, shape: shape, collection: collection, member: member)
    return lookup.isOfElements == index.isOfElements ? lookup : nil
  }

  /// The bytes that a complete index holds of an object's values, or those that say that they are
  /// not known; nothing when there is no object, or a step drops it.
  private func bytes(
    of key: [UInt8], _ lookup: MemberLookup
  ) throws(StoreError) -> [[UInt8]]? {
    do throws(StoreError) {
      guard let found = try lookup.object(key) else { return nil }
      return try lookup.indexedValues(found).map { IndexedValueCoding.encode($0) }
    } catch .log(let error) {
      throw .log(error)
    } catch {
      // A step fails for this object: look-ups tell so, if it does for them.
      return [IndexedValueCoding.unknown]
    }
  }

  /// Gives up to `count` objects their places in a complete index, from the key `start` of it on,
  /// whose values who made the index did not know, and this app does. Returns where to go on.
  func placeUnknown(
    of index: StoredIndex, from start: [UInt8], count: Int, report: inout IndexBuildReport
  ) throws(StoreError) -> [UInt8]? {
    guard let lookup = lookup(by: index) else { return nil }
    let unknown = try StoreError.log { () throws(LogError) in
      let cursor = try transaction.records(
        in: index.collection, keys: KeyRange(from: .including(start)))
      var keys: [[UInt8]] = []
      while keys.count <= count, let next = try cursor.next() { keys.append(next.key) }
      return keys
    }
    for former in unknown.prefix(count) {
      report.objectCount += 1
      let key = Array(former.dropFirst())
      // One that has no room for it stays where it is: look-ups find it there.
      guard let bytes = try bytes(of: key, lookup) else { continue }
      let entries = bytes.compactMap { IndexedValueCoding.entry($0, key: key) }
      guard entries.count == bytes.count, entries != [former] else { continue }
      try StoreError.log { () throws(LogError) in
        for entry in entries {
          try transaction.put(entry, in: index.collection, schemaVersion: 0, payload: [])
        }
        try transaction.delete(former, in: index.collection)
      }
    }
    return unknown.count > count ? unknown.last : nil
  }

  /// Puts an object's keys into an index; false when there is no room for one.
  private func add(
    _ key: [UInt8], to index: StoredIndex, _ lookup: MemberLookup
  ) throws(StoreError) -> Bool {
    guard let bytes = try bytes(of: key, lookup) else { return true }
    let entries = bytes.compactMap { IndexedValueCoding.entry($0, key: key) }
    try StoreError.log { () throws(LogError) in
      for entry in entries {
        try transaction.put(entry, in: index.collection, schemaVersion: 0, payload: [])
      }
    }
    return entries.count == bytes.count
  }

  private func finishIndexes(
    _ indexes: [StoredIndex], of shape: TypeShape, _ report: IndexBuildReport
  ) throws(StoreError) {
    let indexes = indexes.filter { index in
      let member = shape.members.first { $0.identity == index.member }?.name
      return !report.oversized.contains { $0.type == shape.name && $0.member == member }
    }
    try describe { catalog throws(StoreError) in
      for position in catalog.indexes.indices
      where indexes.contains(where: { $0.collection == catalog.indexes[position].collection }) {
        catalog.indexes[position].phase = .ready
      }
    }
  }

  /// Removes up to `count` keys of a retired index, from behind the key `start` on. Returns behind
  /// which one to go on, so that nothing passes what was removed before; nothing at the end. The
  /// catalog keeps the index, so that its collection is never used again.
  func removeKeys(
    of index: StoredIndex, after start: [UInt8], count: Int, removedCount: inout UInt64
  ) throws(StoreError) -> [UInt8]? {
    let keys = try StoreError.log { () throws(LogError) in
      let cursor = try transaction.records(
        in: index.collection, keys: KeyRange(from: .excluding(start)))
      var keys: [[UInt8]] = []
      while keys.count < count, let next = try cursor.next() { keys.append(next.key) }
      for key in keys { try transaction.delete(key, in: index.collection) }
      return keys
    }
    removedCount += UInt64(keys.count)
    return keys.count < count ? nil : keys.last
  }
}

extension StoreSnapshot {
  /// Objects with the same value of a unique member, by walking its index.
  fileprivate func conflicts(
    of shape: TypeShape, member: Int, index: StoredIndex, limit: Int, goesOn: () -> Bool
  ) throws(StoreError) -> [IndexBuildReport.Conflict] {
    guard let collection = reader.collection(of: shape) else { return [] }
    let lookup = MemberLookup(
      source: snapshot, reader: reader, shape: shape, collection: collection, member: member)
    return try lookup.sharedKeys(in: index, limit: limit, goesOn: goesOn).map {
      (keys) throws(StoreError) in
      let texts = try keys.map { (key) throws(StoreError) in try reader.decodeKey(key, shape) }
      return .init(type: shape.name, member: shape.members[member].name, keys: texts)
    }
  }
}
