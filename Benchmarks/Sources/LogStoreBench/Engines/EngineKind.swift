import ArgumentParser

/// The engines that can be compared, whether they are installed or not.
enum EngineKind: String, Codable, CaseIterable, ExpressibleByArgument {
  case logStore = "LogStore"
  case rocksDB = "RocksDB"
  case lmdb = "LMDB"
  case levelDB = "LevelDB"
  case sqlite = "SQLite"
  // LogStore otherwise than as its log ships: nothing compressed; all of it; as a store that
  // compacts itself.
  case logStoreRaw = "LogStore-raw"
  case logStoreLZ4 = "LogStore-lz4"
  case logStoreStore = "LogStore-store"
  // Those that keep objects with typed members.
  case logStoreObjects = "LogStore-objects"
  case sqliteColumns = "SQLite-columns"
  case grdb = "GRDB"

  /// Whether it keeps objects, not bytes.
  var keepsObjects: Bool {
    switch self {
    case .logStore, .logStoreRaw, .logStoreLZ4, .logStoreStore, .rocksDB, .lmdb, .levelDB, .sqlite:
      false
    case .logStoreObjects, .sqliteColumns, .grdb: true
    }
  }

  /// Whether it is LogStore, in one way or another.
  var isOurs: Bool { self == .logStore || self == .logStoreObjects || isVariant }

  /// Whether it is LogStore otherwise than as its log ships: beside it in tables, never for it.
  var isVariant: Bool { [.logStoreRaw, .logStoreLZ4, .logStoreStore].contains(self) }

  /// Why the engine is not in this build, or nothing when it is.
  var reasonMissing: String? {
    guard let debianPackage, !Self.builtIn.contains(self) else { return nil }
    return "\(rawValue) is left out: \(debianPackage) was not installed at build time"
  }

  private static let builtIn: [EngineKind] = {
    var kinds: [EngineKind] = []
    #if HAS_ROCKSDB
      kinds.append(.rocksDB)
    #endif
    #if HAS_LMDB
      kinds.append(.lmdb)
    #endif
    #if HAS_LEVELDB
      kinds.append(.levelDB)
    #endif
    #if HAS_SQLITE
      kinds += [.sqlite, .sqliteColumns, .grdb]
    #endif
    return kinds
  }()

  private var debianPackage: String? {
    switch self {
    case .logStore, .logStoreRaw, .logStoreLZ4, .logStoreStore, .logStoreObjects: nil
    case .rocksDB: "librocksdb-dev"
    case .lmdb: "liblmdb-dev"
    case .levelDB: "libleveldb-dev"
    case .sqlite, .sqliteColumns, .grdb: "libsqlite3-dev"
    }
  }
}
