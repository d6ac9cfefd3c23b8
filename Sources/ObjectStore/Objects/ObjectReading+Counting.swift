extension ObjectReading {
  /// The number of objects of a type.
  ///
  /// Walks all of them: reads their records and upgrades those of older versions, and makes no
  /// object. ``Store/statistics()`` costs no reading, and tells of the last commit how many objects
  /// each version has.
  /// - Throws: what a walk throws, for the first object whose upgrade fails.
  public func count<Model: StorableObject>(_ model: Model.Type) throws(StoreError) -> Int {
    try objects(model, selecting: .all, order: .ascending).count()
  }
}

extension StoreSnapshot {
  /// The number of objects of a type known by name; costs and throws what counting a model does.
  public func count(ofType type: String) throws(StoreError) -> Int {
    try objects(ofType: type).count()
  }
}

extension StoreTransaction {
  /// The number of objects of a type known by name, as this transaction sees them; costs and throws
  /// what counting a model does.
  public func count(ofType type: String) throws(StoreError) -> Int {
    try objects(ofType: type).count()
  }
}

extension UpgradingCursor {
  /// The number of records that are left.
  func count() throws(StoreError) -> Int {
    var count = 0
    while try next({ _, _ in }) { count += 1 }
    return count
  }
}
