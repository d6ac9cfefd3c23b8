public import FileIO
public import SchemaRegistry

extension SchemaHistory {
  /// The same history from `floor` on, when none of the stores and backups at `paths` needs what is
  /// before it: as ``squashed(floor:)``, which asks nobody.
  ///
  /// Each is asked as by ``Store/info(at:fileSystem:)``: also beside a process that has it open,
  /// and without a byte being written or an object read. An older app that still writes to one of
  /// them (``StoreConfiguration/newerStore``) makes older objects again, whatever was found.
  /// - Throws: ``StoreError/floorTooHigh(_:obstacles:)`` with all that need more, and how many of
  ///   their objects do, and all that cannot be read; ``LogError/storeNotFound(path:)``.
  public func squashed(
    floor: SchemaVersion, askingStoresAt paths: [String],
    fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(StoreError) -> SchemaHistory {
    let squashed = try StoreError.schema { () throws(SchemaError) in
      try self.squashed(floor: floor)
    }
    var obstacles: [FloorObstacle] = []
    var ledgers: [[SchemaVersion: RecordedVersion]] = []
    for path in paths {
      do throws(StoreError) {
        let summary = try Store.info(at: path, fileSystem: fileSystem)
        ledgers.append(summary.ledger)
        if let found = FloorObstacle(at: path, summary, whole: self, squashed: squashed) {
          obstacles.append(found)
        }
      } catch .log(.storeNotFound(let path)) {
        throw .log(.storeNotFound(path: path))
      } catch { obstacles.append(FloorObstacle(at: path, unreadable: error)) }
    }
    guard obstacles.isEmpty else { throw .floorTooHigh(floor, obstacles: obstacles) }
    // What these know of the floor stays known.
    return try StoreError.schema { () throws(SchemaError) in
      try self.squashed(floor: floor, metByStores: ledgers)
    }
  }
}
