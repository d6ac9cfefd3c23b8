public import FileIO
internal import LogStore
public import SchemaRegistry

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Store {
  /// Opens the store of a configuration, or gives the one that this process has open already.
  ///
  /// What has changed in the models since objects were written is found by comparing: members that
  /// were added with an initial value or as optionals, that were removed, and that became optional
  /// need a higher version and no code. The rest is the migration block's. An existing store is not
  /// written to, unless the block runs at open, or the configuration says so.
  public convenience init(
    configuration: Configuration = .defaultConfiguration
  ) throws(StoreError) {
    try configuration.check()
    let hasVersions = configuration.evolution == nil
    let settings = OpenStores.Settings(
      schemaVersion: hasVersions ? configuration.schemaVersion : 0,
      evolution: configuration.evolution, isReadOnly: configuration.isReadOnly,
      admitsWriters: configuration.admitsWriters || !configuration.isReadOnly,
      durability: configuration.durability, compaction: "\(configuration.compaction)",
      migrationTiming: hasVersions ? configuration.migrationTiming : nil,
      migrationRevision: hasVersions ? configuration.migrationRevision : nil,
      settings: configuration.comparableSettings,
      // With the names of modules: two may have models of the same name.
      models: configuration.models.map { String(reflecting: $0) }.sorted())
    let stores = OpenStores.shared
    let opened: Store
    switch configuration.location {
    case .path(let text):
      let path = Self.place(of: text)
      opened = try stores.store(at: .path(path), settings) { () throws(StoreError) in
        try Store.open(configuration, path: path, fileSystem: POSIXFileSystem())
      }
    case .memory(let identifier):
      opened = try stores.store(at: .memory(identifier), settings) { () throws(StoreError) in
        // Only now: who waits for another opening must not keep what that made when it is closed.
        try Store.open(
          configuration, path: "/store", fileSystem: stores.fileSystem(identifier))
      }
    }
    self.init(log: opened.log, reading: opened.reading, lease: opened.lease)
  }

  /// The one path of a store, whatever links lead to it, before it is there and afterwards.
  static func place(of path: String) -> String {
    let url = URL(filePath: path).standardizedFileURL
    // What is not there leads nowhere, and would keep links before it from being followed.
    if FileManager.default.fileExists(atPath: url.path) {
      return url.resolvingSymlinksInPath().path
    }
    let parent = url.deletingLastPathComponent().resolvingSymlinksInPath()
    return parent.appending(path: url.lastPathComponent, directoryHint: .notDirectory).path
  }

  /// Opens by a configuration in any file system, without looking for a store that is open.
  static func open(
    _ configuration: Configuration, path: String, fileSystem: any FileSystem,
    settings: StoreConfiguration? = nil
  ) throws(StoreError) -> Store {
    var configuration = configuration
    if var settings {
      settings.log.durability = configuration.durability
      settings.compaction = configuration.compaction
      configuration.settings = settings
    }
    var storeConfiguration = configuration.settings
    if configuration.isReadOnly {
      storeConfiguration.log.access = .readOnly
      storeConfiguration.log.createIfMissing = false
      storeConfiguration.log.admitsWriters = configuration.admitsWriters
    }
    var noted: [SchemaVersion: Migration] = [:]
    let store = try openOrSetAside(
      configuration, path, storeConfiguration, fileSystem, noting: &noted)
    OpenStores.noteOpened(store)
    do throws(StoreError) {
      let incomplete = store.incompleteIndexes
      try store.migrateAtOpen(configuration, noted)
      if let observer = storeConfiguration.log.observer, store.incompleteIndexes != incomplete {
        // What the block left so; opening told of the others.
        observer.observe(.indexesIncomplete(store.incompleteIndexes))
      }
      try store.compactOnLaunch(configuration)
    } catch {
      do throws(StoreError) { try store.close() } catch {}
      throw error
    }
    return store
  }

  /// Opens what is at `path`, or what is there once a store that needs a migration was set aside.
  private static func openOrSetAside(
    _ configuration: Configuration, _ path: String, _ storeConfiguration: StoreConfiguration,
    _ fileSystem: any FileSystem, noting noted: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> Store {
    var isSeed = try copySeed(configuration, path)
    while true {
      var isOutdated = false
      do throws(StoreError) {
        return try openConfigured(
          configuration, path, storeConfiguration, fileSystem, isOutdated: &isOutdated,
          noting: &noted)
      } catch {
        guard isOutdated else { throw error }
        // As for who is new: the next launch would find a store and not look for the seed. One
        // that needs a migration itself is not copied again.
        if !isSeed { isSeed = try copySeed(configuration, path) }
      }
    }
  }

  /// Copies the seed where nothing is; false when there is none, or a store.
  private static func copySeed(
    _ configuration: Configuration, _ path: String
  ) throws(StoreError) -> Bool {
    guard let seed = configuration.seedPath, StoreCopy.isVacant(path) else { return false }
    try StoreCopy.copy(from: seed, to: path)
    return true
  }

  private static func openConfigured(
    _ configuration: Configuration, _ path: String, _ storeConfiguration: StoreConfiguration,
    _ fileSystem: any FileSystem, isOutdated: inout Bool,
    noting noted: inout [SchemaVersion: Migration]
  ) throws(StoreError) -> Store {
    if let evolution = configuration.evolution {
      return try open(
        at: path, models: configuration.models, evolution: evolution,
        configuration: storeConfiguration, fileSystem: fileSystem)
    }
    let slowUpgrades = SlowUpgradeReports(storeConfiguration)
    return try open(
      at: path, storeConfiguration, fileSystem,
      again: { (log, catalog) throws(StoreError) in
        // What reads only has no use for the notes: nothing runs at open.
        var notes: [SchemaVersion: Migration] = [:]
        return try ConfiguredSchema(configuration, catalog: catalog, records: log.sortedLive)
          .reading(noting: &notes, slowUpgrades)
      },
      first: { (log, catalog) throws(StoreError) in
        let found = try ConfiguredSchema(
          configuration, catalog: catalog, records: log.sortedLive)
        guard configuration.archivesIfMigrationNeeded else {
          return try found.reading(noting: &noted, slowUpgrades)
        }
        if let reading = try found.readingUnlessOutdated(noting: &noted, slowUpgrades) {
          return reading
        }
        try checkPolicies(
          storeConfiguration,
          configuration.models.map { $0.typeName }
            + catalog.shapes.values.flatMap { $0.types.map(\.name) })
        // While it is locked: afterwards another process may have put a new one in its place.
        try StoreCopy.setAside(path)
        isOutdated = true
        throw .copyFailed(path: path, reason: "it needs a migration, and was set aside")
      })
  }

  /// Does what the block asks for to everything that is older, in one transaction, when it is to
  /// run at open.
  ///
  /// The block is called once, with the oldest version. Objects of the versions between went
  /// through a part of it already: before it, they go through what it noted for their version, and
  /// what it deletes or makes for the oldest does not touch them.
  ///
  /// Where the store has the version, another app with other models was here. When no object of
  /// these is older, the block has happened, and the types are described only.
  private func migrateAtOpen(
    _ configuration: Configuration, _ noted: [SchemaVersion: Migration]
  ) throws(StoreError) {
    guard configuration.migrationTiming == .atOpen, configuration.evolution == nil else { return }
    let found = try ConfiguredSchema(
      configuration, catalog: reader.catalog, records: log.sortedLive)
    let versions = found.olderVersions
    guard let oldest = versions.first else { return }
    // Only the block knows what becomes of these objects. If it fails, nobody else is to describe
    // the version before the store is closed, or to write what they hold without it.
    compaction.pause()
    let before = log.snapshot(of: log.state, lasting: true)
    let shapes = reader.catalog.shapes
    let reached = reader.catalog.highestVersion == found.version ? found.version : nil
    let isDone = reached != nil && !found.hasOlderObjects
    do {
      try write { transaction in
        try transaction.describeSchema()
        // What objects share half-way says nothing; what they share in the end is found by
        // building the indexes, as for objects that are migrated when they are read. So those are
        // called incomplete in which objects share something.
        transaction.refusesDuplicates = false
        if isDone { return }
        var migrations: [SchemaVersion: EagerMigration] = [:]
        for version in versions {
          guard let stored = shapes[version] else { continue }
          let eager = EagerMigration(
            transaction, before: before, stored: stored, models: found.declared,
            types: found.types, reached: reached, noted: noted)
          migrations[version] = eager
          if version != oldest { try noted[version]?.perform(with: eager) }
        }
        if let eager = migrations[oldest], let stored = shapes[oldest] {
          let migration = found.migration(from: stored, to: schema)
          try migration.acting(with: eager) { () throws(StoreError) in
            try found.run(migration, for: oldest)
          }
        }
        for (version, eager) in migrations {
          try eager.finish { type in migrations.values.contains { $0.hasEmptied(type, version) } }
        }
        try transaction.leaveSharedIndexes()
      }
    } catch {
      throw error as? StoreError
        ?? .migrationBlockFailed(fromVersion: oldest, reason: "\(error)")
    }
    compaction.resume()
  }

  private func compactOnLaunch(_ configuration: Configuration) throws(StoreError) {
    guard let wants = configuration.shouldCompactOnLaunch else { return }
    let statistics = try statistics()
    let used = statistics.types.reduce(0) { $0 + $1.totals.byteCount }
    guard wants(statistics.log.fileByteCount, used) else { return }
    do throws(StoreError) { try compact() } catch {
      // What is there can be read all the same; the observer was told.
      guard case .log(let cause) = error, cause.isDiskFull else { throw error }
    }
  }

  /// The highest schema version that wrote to the store at `path`; nothing when none ever did.
  public static func schemaVersion(
    at path: String, fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(StoreError) -> SchemaVersion? {
    let store = try Store.open(at: path, configuration: .readOnly, fileSystem: fileSystem)
    let version = store.reader.catalog.highestVersion
    try store.close()
    return version
  }
}
