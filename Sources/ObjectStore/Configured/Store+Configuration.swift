internal import FileIO
public import LogStore

#if canImport(Darwin)
  internal import Foundation
#endif

extension Store {
  /// How a store is opened by those who think in versions and migration blocks.
  ///
  /// The shape of Realm's configuration with the same meaning; what differs stands in
  /// `Documentation/FromRealm.md`. A store with a history of its own is opened with
  /// ``Store/open(at:models:history:configuration:fileSystem:)``.
  public struct Configuration: Sendable {
    /// Where the objects are.
    public enum Location: Sendable, Hashable {
      /// In the directory at this path.
      case path(String)
      /// In memory, shared by all stores of the process that are open with this identifier.
      case memory(String)

      /// What errors call it.
      var name: String {
        switch self {
        case .path(let path): path
        case .memory(let identifier): "\(identifier), in memory"
        }
      }
    }

    /// When objects of older versions go through the migration block.
    public enum MigrationTiming: Sendable, Hashable {
      /// When they are read, and for good when they are written or compacted.
      case onRead
      /// All of them in one transaction when the store is opened, as Realm does it.
      case atOpen
    }

    /// What an app does with the objects of the version `oldSchemaVersion`.
    ///
    /// Called at open once for each older version that objects have, and for the newest one that
    /// declared each type, whether it has objects or not, to record what it asks for; and again at
    /// the next opening as long as these are older, or objects are, and then for the newest version
    /// before the configuration's that declared each type, too. With ``MigrationTiming/onRead`` it
    /// is not called for what only apps with other models wrote, unless the store has none of the
    /// types. Where it brings back a member that was given up, it is called for the version
    /// before the one that introduced what it makes of that, whether this has objects or not. Where
    /// it gives a member a name that this had before, it is asked for the versions between, any
    /// number of times. What it passes to ``Migration/enumerateObjects(ofType:_:)`` runs later, any
    /// number of times, on any thread. With ``MigrationTiming/atOpen`` it is called once more, with
    /// the oldest of these versions, and then does what it says. A store that is read beside a
    /// writer keeps it, and ``Store/refresh()`` may call it again; it must not refresh a store
    /// itself.
    public typealias MigrationClosure =
      @Sendable (_ migration: Migration, _ oldSchemaVersion: UInt64) throws -> Void

    /// Where the objects are.
    public let location: Location
    /// The models; types that the store has besides are left alone, and migrated by the app that
    /// has models of them when it opens the store.
    public var models: [any StorableObject.Type]
    /// The number of the schema that the models make up; to be raised with every change of them.
    public var schemaVersion: UInt64
    /// What becomes of objects of older versions, besides what follows from the models.
    public var migrationBlock: MigrationClosure?
    /// To be raised when a block that shipped is mended without a higher version, so that indexes
    /// of what it gave before are made anew; 1 unless set.
    public var migrationRevision: UInt32 = 1
    /// When it does.
    public var migrationTiming: MigrationTiming
    /// By what rules the schema changes instead of versions, so that apps with other models share
    /// the store; the version is not looked at then, and there is no migration block.
    public var evolution: SchemaEvolution?
    /// How the store and its log are opened: observers, modes of reading and writing, sizes,
    /// failure policies. What this configuration says itself holds whatever stands there of it.
    ///
    /// Whether the store is read only, and whether it admits writers, is said here and not there.
    /// What is about histories, `editedHistory` and `barriers`, means nothing.
    public var settings = StoreConfiguration()
    /// What a commit survives when it does not say otherwise: that of the ``settings``.
    public var durability: Durability {
      get { settings.log.durability }
      set { settings.log.durability = newValue }
    }
    /// How the store compacts itself, which makes upgrades permanent: that of the ``settings``.
    public var compaction: CompactionConfiguration {
      get { settings.compaction }
      set { settings.compaction = newValue }
    }
    /// Whether a store that is read only lets another process open it for writing meanwhile, as it
    /// would where the writer comes first; ignored for others.
    ///
    /// Within a process configurations open a store either way, and not both: the second one is
    /// ``StoreError/openWithOtherSettings(path:setting:)``.
    ///
    /// It shows the state at opening, and after each ``Store/refresh()`` the newest. Opening maps
    /// all segments, so that the writer takes none away, and with ``durability`` `.full`
    /// synchronizes what it shows, which a failing disk refuses. Without, the store cannot be
    /// written by anybody until it is closed, and opening maps and synchronizes nothing.
    public var admitsWriters = true
    /// Whether nothing is created or written.
    public let isReadOnly: Bool
    /// Whether a store that would need a migration is set aside, and a new one made.
    public let archivesIfMigrationNeeded: Bool
    /// A store that is copied to the path when there is none.
    public let seedPath: String?
    /// Asked at open whether to compact, with the bytes of all files and those in use.
    public let shouldCompactOnLaunch: (@Sendable (_ total: UInt64, _ used: UInt64) -> Bool)?

    /// A store in the directory at `path`, which is made when it is missing.
    public init(
      path: String, models: [any StorableObject.Type], schemaVersion: UInt64 = 0,
      migrationBlock: MigrationClosure? = nil, migrationTiming: MigrationTiming = .onRead
    ) {
      self.init(
        .path(path), models, schemaVersion, migrationBlock, migrationTiming, isReadOnly: false,
        archives: false, seedPath: nil, compacts: nil)
    }

    /// A store in the directory at `path`, with everything that can be chosen.
    ///
    /// - Throws: ``StoreError/conflictingSettings(_:)`` for settings that cannot be had together:
    ///   read-only with any that writes, or an empty path (R10).
    public init(
      path: String, models: [any StorableObject.Type], schemaVersion: UInt64 = 0,
      migrationBlock: MigrationClosure? = nil, migrationTiming: MigrationTiming = .onRead,
      readOnly: Bool = false, archiveIfMigrationNeeded: Bool = false, seedFilePath: String? = nil,
      shouldCompactOnLaunch: (@Sendable (UInt64, UInt64) -> Bool)? = nil
    ) throws(StoreError) {
      self.init(
        .path(path), models, schemaVersion, migrationBlock, migrationTiming, isReadOnly: readOnly,
        archives: archiveIfMigrationNeeded, seedPath: seedFilePath, compacts: shouldCompactOnLaunch)
      try check()
    }

    /// A store that lives in memory, until one with this identifier is closed, or all are let go.
    public init(
      inMemoryIdentifier identifier: String, models: [any StorableObject.Type],
      schemaVersion: UInt64 = 0, migrationBlock: MigrationClosure? = nil,
      migrationTiming: MigrationTiming = .onRead
    ) {
      self.init(
        .memory(identifier), models, schemaVersion, migrationBlock, migrationTiming,
        isReadOnly: false, archives: false, seedPath: nil, compacts: nil)
    }

    private init(
      _ location: Location, _ models: [any StorableObject.Type], _ schemaVersion: UInt64,
      _ migrationBlock: MigrationClosure?, _ migrationTiming: MigrationTiming, isReadOnly: Bool,
      archives: Bool, seedPath: String?, compacts: (@Sendable (UInt64, UInt64) -> Bool)?
    ) {
      self.location = location
      self.models = models
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.migrationTiming = migrationTiming
      self.isReadOnly = isReadOnly
      archivesIfMigrationNeeded = archives
      self.seedPath = seedPath
      shouldCompactOnLaunch = compacts
    }

    /// Throws for settings that cannot be had together.
    func check() throws(StoreError) {
      if case .path("") = location { throw .conflictingSettings("the path is empty") }
      if evolution == .additive, migrationBlock != nil || archivesIfMigrationNeeded {
        throw .conflictingSettings(
          "a store with evolution: .additive takes no migration block and needs no migration")
      }
      if settings.newerStore != .refused {
        throw .conflictingSettings("settings.newerStore is .projected, which takes a history")
      }
      if migrationTiming == .atOpen, !settings.failurePolicies.isEmpty {
        throw .conflictingSettings(
          "settings.failurePolicies are for objects that are migrated when they are read, and "
            + "migrationTiming is .atOpen")
      }
      if settings.log.access == .readOnly, !isReadOnly {
        throw .conflictingSettings("settings.log.access is .readOnly, and readOnly: is not true")
      }
      guard isReadOnly else { return }
      if archivesIfMigrationNeeded {
        throw .conflictingSettings("a read-only store cannot be set aside for a new one")
      }
      if seedPath != nil {
        throw .conflictingSettings("a read-only store cannot be made from a seed")
      }
      if shouldCompactOnLaunch != nil {
        throw .conflictingSettings("a read-only store cannot be compacted")
      }
      if migrationTiming == .atOpen {
        throw .conflictingSettings("a read-only store cannot be migrated when it is opened")
      }
    }

    /// What was set; to ask for the default path may make its directory.
    private static let shared = Lock<Configuration?>(nil)

    /// `default.logstore`: on systems of Apple in the directory for what supports applications, on
    /// others in the working directory.
    private static var defaultPath: String {
      let name = "default.logstore"
      #if canImport(Darwin)
        // One that is there already stays the default.
        guard !FileManager.default.fileExists(atPath: name),
          var directory = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask
          ).first
        else { return name }
        #if os(macOS)
          // Apps without a sandbox share it.
          let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
          directory.append(path: app)
        #endif
        // What is wrong with it is told by who opens the store.
        try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory.appending(path: name).path
      #else
        return name
      #endif
    }

    /// What ``Store/init(configuration:)`` takes when it is given none; set it once, at the start.
    ///
    /// Unless set it has no models, and `default.logstore` for a path: on systems of Apple, unless
    /// one is in the working directory, in the directory for application support (on macOS in that
    /// of the app there), elsewhere in the working directory, which depends on how the process was
    /// started: name a path there.
    public static var defaultConfiguration: Configuration {
      get {
        shared.withLock { configuration in configuration }
          ?? Configuration(path: defaultPath, models: [])
      }
      set { shared.withLock { configuration in configuration = newValue } }
    }
  }
}
