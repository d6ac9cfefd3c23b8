#if HAS_SQLITE
  import CSQLite

  /// Reads with a connection of its own, inside one read transaction; or with the one that writes.
  final class SQLiteReader: EngineReader {
    private let connection: SQLiteConnection
    private let keyKind: KeyKind
    private let select: SQLiteStatement
    private let range: SQLiteStatement
    private let all: SQLiteStatement
    private let commit: SQLiteStatement
    private let isSharing: Bool
    private var holdsTransaction: Bool
    private var snapshotTaking: [SQLiteStatement] = []

    /// With a connection that is this reader's from now on.
    convenience init(_ connection: SQLiteConnection, keyKind: KeyKind) throws {
      try self.init(connection, keyKind, isSharing: false)
      try connection.execute("BEGIN")
      holdsTransaction = true
    }

    /// With the connection of who writes, on its thread; each read is a transaction of its own.
    convenience init(sharing connection: SQLiteConnection, keyKind: KeyKind) throws {
      try self.init(connection, keyKind, isSharing: true)
    }

    private init(_ connection: SQLiteConnection, _ keyKind: KeyKind, isSharing: Bool) throws {
      self.connection = connection
      self.keyKind = keyKind
      self.isSharing = isSharing
      holdsTransaction = false
      let handle = connection.handle
      select = try SQLiteStatement(handle, "SELECT value FROM records WHERE key = ?1")
      range = try SQLiteStatement(
        handle, "SELECT key, value FROM records WHERE key >= ?1 ORDER BY key LIMIT ?2")
      all = try SQLiteStatement(handle, "SELECT key, value FROM records ORDER BY key LIMIT ?1")
      commit = try SQLiteStatement(handle, "COMMIT")
    }

    deinit { if !isSharing { connection.close() } }

    /// From here on each read is a transaction of its own: a reader that held one between reads
    /// would keep the write-ahead log from starting over.
    func refresh() throws {
      guard holdsTransaction else { return }
      try commit.run()
      holdsTransaction = false
    }

    /// A transaction has its snapshot from its first read on.
    func takeSnapshot() throws {
      try refresh()
      if snapshotTaking.isEmpty {
        snapshotTaking = try ["BEGIN", "SELECT 1 FROM records LIMIT 1"].map {
          try SQLiteStatement(connection.handle, $0)
        }
      }
      for statement in snapshotTaking + [commit] { try statement.run() }
    }

    func read(
      _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws -> Bool {
      defer { select.reset() }
      select.bind(1, key: key, keyKind)
      guard try select.step() else { return false }
      body(select.blob(0))
      return true
    }

    func scan(
      from start: UnsafeRawBufferPointer?, limit: Int,
      _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws -> Int {
      let statement = start == nil ? all : range
      defer { statement.reset() }
      if let start { statement.bind(1, key: start, keyKind) }
      statement.bind(start == nil ? 1 : 2, Int64(limit))
      var count = 0
      while try statement.step() {
        if keyKind == .integer {
          withUnsafeBytes(of: statement.integer(0).bigEndian) { body($0, statement.blob(1)) }
        } else {
          body(statement.blob(0), statement.blob(1))
        }
        count += 1
      }
      return count
    }
  }
#endif
