/// An application's own migration over an engine of bytes: every value is read, joined, written.
final class ByteMigration: Migration {
  private let kind: EngineKind
  private let settings: EngineSettings
  private var engine: (any Engine)?

  init(_ kind: EngineKind, path: String, objectCount: Int) {
    self.kind = kind
    settings = Self.settings(path: path, objectCount: objectCount)
  }

  /// 300 bytes are above what a person takes on average.
  static func settings(path: String, objectCount: Int) -> EngineSettings {
    EngineSettings(
      path: path, promise: .powerLoss, keyKind: .integer, expectedByteCount: objectCount * 300)
  }

  func firstRead(_ id: Int) throws -> MigratedPerson? {
    guard let engine = try kind.open(settings) as? any RewritableEngine else {
      throw BenchmarkError("\(kind.rawValue) cannot be rewritten")
    }
    self.engine = engine
    try engine.rewriteAll(PersonCoding.joinNames)
    return try person(id)
  }

  /// All is done before the first read.
  func finish() {}

  /// The balance is in no value, so it is 0.
  func person(_ id: Int) throws -> MigratedPerson? {
    var person: MigratedPerson?
    _ = try withUnsafeBytes(of: UInt64(id).bigEndian) { key in
      try engine?.makeReader().read(key) { value in
        var found = PersonCoding.migratedPerson(value)
        found.id = id
        person = found
      }
    }
    return person
  }

  func reopen() throws { engine = try kind.open(settings) }

  func close() throws {
    try engine?.close()
    engine = nil
  }
}
