/// An open directory in memory.
final class InMemoryDirectory: Directory {
  let path: String
  private let contents: InMemoryDirectoryContents

  init(contents: InMemoryDirectoryContents, path: String) {
    self.contents = contents
    self.path = path
  }

  deinit { unlock() }

  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    let path = "\(self.path)/\(name)"
    let file = try contents.state.withLock {
      state throws(FileIOError) -> InMemoryFileContents in
      switch (state.files[name], mode) {
      case (nil, .createNew):
        let file = InMemoryFileContents()
        state.files[name] = file
        return file
      case (.some, .createNew):
        throw FileIOError(.alreadyExists, operation: "create", path: path)
      case (nil, _): throw FileIOError(.notFound, operation: "open", path: path)
      case (let file?, _): return file
      }
    }
    return InMemoryFile(contents: file, path: path, isWritable: mode != .read)
  }

  func list() throws(FileIOError) -> [String] {
    contents.state.withLock { state in state.files.keys.map(\.description).sorted() }
  }

  func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    try contents.state.withLock { state throws(FileIOError) in
      guard let file = state.files.removeValue(forKey: source) else {
        throw FileIOError(
          .notFound, operation: "rename to \(target)", path: "\(path)/\(source)")
      }
      state.files[target] = file
    }
  }

  func remove(_ name: FileName) throws(FileIOError) {
    try contents.state.withLock { state throws(FileIOError) in
      guard state.files.removeValue(forKey: name) != nil else {
        throw FileIOError(.notFound, operation: "remove", path: "\(path)/\(name)")
      }
    }
  }

  func synchronize() throws(FileIOError) {}

  func freeByteCount() throws(FileIOError) -> UInt64? { nil }

  /// Waits like a directory on disk.
  func lock(_ kind: LockKind) throws(FileIOError) {
    var milliseconds = kind == .exclusive ? 1 : POSIXDirectory.patience
    while !takeLock(kind) {
      guard milliseconds < POSIXDirectory.patience else {
        let holder = SystemCalls.processIdentifier()
        throw FileIOError(.locked(holder: holder), operation: "lock", path: path)
      }
      SystemCalls.sleep(milliseconds: milliseconds)
      milliseconds *= 2
    }
  }

  /// False when somebody else has it.
  private func takeLock(_ kind: LockKind) -> Bool {
    let me = ObjectIdentifier(self)
    return contents.state.withLock { state in
      let isShared = kind == .shared
      guard state.writer == nil || state.writer == me,
        isShared || state.readers.subtracting([me]).isEmpty
      else { return false }
      state.writer = isShared ? nil : me
      if isShared { state.readers.insert(me) } else { state.readers.remove(me) }
      return true
    }
  }

  func unlock() {
    let me = ObjectIdentifier(self)
    contents.state.withLock { state in
      if state.writer == me { state.writer = nil }
      state.readers.remove(me)
    }
  }
}
