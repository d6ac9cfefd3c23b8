import ObjectStore

extension EngineKind {
  /// Opens an engine that keeps bytes.
  func open(_ settings: EngineSettings) throws -> any Engine {
    switch self {
    case .logStore: return try LogStoreEngine(settings, compression: .automatic)
    case .logStoreRaw: return try LogStoreEngine(settings, compression: .none)
    case .logStoreLZ4: return try LogStoreEngine(settings, compression: .always)
    case .logStoreStore: return try StoreEngine(settings)
    #if HAS_ROCKSDB
      case .rocksDB: return try RocksDBEngine(settings)
    #endif
    #if HAS_LMDB
      case .lmdb: return try LMDBEngine(settings)
    #endif
    #if HAS_LEVELDB
      case .levelDB: return try LevelDBEngine(settings)
    #endif
    #if HAS_SQLITE
      case .sqlite: return try SQLiteEngine(settings)
    #endif
    default: throw BenchmarkError(reasonMissing ?? "\(rawValue) keeps objects, not bytes")
    }
  }

  /// Opens an engine that keeps objects; every write is durable.
  func openObjects(at path: String) throws -> any ObjectEngine {
    switch self {
    case .logStoreObjects: return try LogStoreObjectEngine(path: path)
    #if HAS_SQLITE
      case .sqliteColumns: return try SQLiteColumnEngine(path: path)
      case .grdb: return try GRDBEngine(path: path)
    #endif
    default: throw BenchmarkError(reasonMissing ?? "\(rawValue) keeps bytes, not objects")
    }
  }
}
