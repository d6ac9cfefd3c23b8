import ArgumentParser

/// The engines that can be compared, whether they are installed or not.
enum EngineKind: String, Codable, CaseIterable, ExpressibleByArgument {
  case logStore = "LogStore"
  case rocksDB = "RocksDB"
  case lmdb = "LMDB"
  case levelDB = "LevelDB"
  case sqlite = "SQLite"

  /// Why the engine is not in this build, or nothing when it is.
  var reasonMissing: String? {
    isBuiltIn ? nil : "\(rawValue) is left out: \(debianPackage) was not installed at build time"
  }

  func open(_ settings: EngineSettings) throws -> any Engine {
    switch self {
    case .logStore: return try LogStoreEngine(settings)
    case .rocksDB:
      #if HAS_ROCKSDB
        return try RocksDBEngine(settings)
      #endif
    case .lmdb:
      #if HAS_LMDB
        return try LMDBEngine(settings)
      #endif
    case .levelDB:
      #if HAS_LEVELDB
        return try LevelDBEngine(settings)
      #endif
    case .sqlite:
      #if HAS_SQLITE
        return try SQLiteEngine(settings)
      #endif
    }
    #if !(HAS_ROCKSDB && HAS_LMDB && HAS_LEVELDB && HAS_SQLITE)
      throw BenchmarkError(reasonMissing ?? "\(rawValue) cannot be opened")
    #endif
  }

  private var isBuiltIn: Bool {
    switch self {
    case .logStore: return true
    case .rocksDB:
      #if HAS_ROCKSDB
        return true
      #endif
    case .lmdb:
      #if HAS_LMDB
        return true
      #endif
    case .levelDB:
      #if HAS_LEVELDB
        return true
      #endif
    case .sqlite:
      #if HAS_SQLITE
        return true
      #endif
    }
    #if !(HAS_ROCKSDB && HAS_LMDB && HAS_LEVELDB && HAS_SQLITE)
      return false
    #endif
  }

  private var debianPackage: String {
    switch self {
    case .logStore: ""
    case .rocksDB: "librocksdb-dev"
    case .lmdb: "liblmdb-dev"
    case .levelDB: "libleveldb-dev"
    case .sqlite: "libsqlite3-dev"
    }
  }
}
