import Foundation

/// What the engines call themselves; each is opened once, with an empty store.
enum EngineVersions {
  static func lines(of engines: [EngineKind], folder: String) throws -> [String] {
    try engines.map { kind in
      let path = folder + "/version-\(kind.rawValue)"
      let files = FileManager.default
      try files.createDirectory(atPath: path, withIntermediateDirectories: true)
      defer { try? files.removeItem(atPath: path) }
      let version: String
      if kind.keepsObjects {
        let engine = try kind.openObjects(at: path)
        version = engine.version
        try engine.close()
      } else {
        let settings = EngineSettings(
          path: path, promise: .processKill, keyKind: .integer, expectedByteCount: 0)
        let engine = try kind.open(settings)
        version = engine.version
        try engine.close()
      }
      return "\(kind.rawValue): \(version)"
    }
  }
}
