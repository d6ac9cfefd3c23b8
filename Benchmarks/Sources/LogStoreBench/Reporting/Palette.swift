/// One colour for each engine, the same in every plot; ours are the warm ones.
enum Palette {
  static func colour(_ engine: EngineKind) -> String {
    switch engine {
    case .logStore, .logStoreObjects: "#c2410c"
    case .logStoreRaw: "#f59e0b"
    case .logStoreLZ4: "#ea580c"
    case .logStoreStore: "#9f1239"
    case .rocksDB: "#64748b"
    case .lmdb: "#0d9488"
    case .levelDB: "#7c3aed"
    case .sqlite, .sqliteColumns: "#2563eb"
    case .grdb: "#65a30d"
    }
  }
}
