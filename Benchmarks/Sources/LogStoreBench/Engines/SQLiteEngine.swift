#if HAS_SQLITE
  import CSQLite
  import Foundation

  /// SQLite as a key-value table; integer keys are row identifiers, its fastest kind.
  final class SQLiteEngine: Engine, @unchecked Sendable {
    private let path: String
    private let promise: Promise
    private let keyKind: KeyKind
    /// SQLite has one writer; it is used under the lock, and made by the first write.
    private let lock = NSLock()
    private var writer: SQLiteWriter?

    init(_ settings: EngineSettings) throws {
      path = settings.path + "/store.sqlite"
      promise = settings.promise
      keyKind = settings.keyKind
      if !FileManager.default.fileExists(atPath: path) { try write { _ in } }
    }

    var version: String { "SQLite \(String(cString: sqlite3_libversion()))" }

    func put(_ record: RecordBytes) throws { try write { try $0.put(record) } }

    func putBatch(_ records: [RecordBytes], inKeyOrder: Bool) throws {
      try write { try $0.putBatch(records) }
    }

    private func write(_ body: (SQLiteWriter) throws -> Void) throws {
      lock.lock()
      defer { lock.unlock() }
      let writer =
        try self.writer ?? SQLiteWriter(path: path, promise: promise, keyKind: keyKind)
      self.writer = writer
      try body(writer)
    }

    func makeReader() throws -> any EngineReader {
      try SQLiteReader(try SQLiteConnection(path: path, promise: promise), keyKind: keyKind)
    }

    /// The connection that writes: another one would let its pages go whenever that one wrote.
    func makeWritingReader() throws -> any EngineReader {
      var reader: SQLiteReader?
      try write { reader = try SQLiteReader(sharing: $0.connection, keyKind: keyKind) }
      guard let reader else { preconditionFailure("the write must have run") }
      return reader
    }

    func compact() throws {
      try write { try $0.connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    func close() { writer = nil }
  }
#endif
