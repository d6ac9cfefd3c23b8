internal import FileIO

/// An open directory of a simulated file system.
final class SimulatedDirectory: Directory {
  let path: String
  private let fileSystem: SimulatedFileSystem
  private let key: String

  init(fileSystem: SimulatedFileSystem, key: String, path: String) {
    self.fileSystem = fileSystem
    self.key = key
    self.path = path
  }

  deinit { unlock() }

  private func path(of name: FileName) -> String { "\(path)/\(name)" }

  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    let path = path(of: name)
    let kind: OperationKind = mode == .createNew ? .create : .open
    let file = try fileSystem.perform(kind, path) { state throws(FileIOError) -> Int in
      let found = state.disk.directories[key]?.live[name.description]
      let file: Int
      switch (found, mode) {
      case (nil, .createNew):
        if let limit = state.fileCountLimit, state.disk.usedFileCount >= limit {
          state.refusedOperationCount += 1
          throw FileIOError(.noSpace, operation: "create", path: path)
        }
        file = state.disk.create(name.description, in: key)
      case (.some, .createNew):
        throw FileIOError(.alreadyExists, operation: "create", path: path)
      case (nil, _): throw FileIOError(.notFound, operation: "open", path: path)
      case (let number?, _): file = number
      }
      state.disk.files[file].handleCount += 1
      return file
    }
    return SimulatedFile(
      fileSystem: fileSystem, number: file, path: path, isWritable: mode != .read)
  }

  func list() throws(FileIOError) -> [String] {
    try fileSystem.perform(.list, path) { state throws(FileIOError) in
      (state.disk.directories[key]?.live.keys.sorted()) ?? []
    }
  }

  func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    let path = path(of: source)
    try fileSystem.perform(.rename, path) { state throws(FileIOError) in
      guard let file = state.disk.directories[key]?.live[source.description] else {
        throw FileIOError(.notFound, operation: "rename to \(target)", path: path)
      }
      state.disk.change(
        .rename(source.description, to: target.description, file: file), in: key)
    }
  }

  func remove(_ name: FileName) throws(FileIOError) {
    let path = path(of: name)
    try fileSystem.perform(.remove, path) { state throws(FileIOError) in
      guard state.disk.directories[key]?.live[name.description] != nil else {
        throw FileIOError(.notFound, operation: "remove", path: path)
      }
      state.disk.change(.remove(name.description), in: key)
    }
  }

  func synchronize() throws(FileIOError) {
    try fileSystem.perform(.synchronizeDirectory, path) { state throws(FileIOError) in
      state.disk.makeNamesDurable(in: key)
    }
  }

  /// Known when there is a limit.
  func freeByteCount() throws(FileIOError) -> UInt64? {
    fileSystem.state.withLock { state in
      state.byteCountLimit == nil ? nil : UInt64(state.freeByteCount)
    }
  }

  func lock(_ kind: LockKind) throws(FileIOError) {
    let me = ObjectIdentifier(self)
    try fileSystem.perform(.lock, path) { state throws(FileIOError) in
      var holders = state.holders[key] ?? .init()
      let isShared = kind == .shared
      guard holders.writer == nil || holders.writer == me,
        isShared || holders.readers.subtracting([me]).isEmpty
      else { throw FileIOError(.locked(holder: nil), operation: "lock", path: path) }
      holders.writer = isShared ? nil : me
      if isShared { holders.readers.insert(me) } else { holders.readers.remove(me) }
      state.holders[key] = holders
    }
  }

  func unlock() {
    let me = ObjectIdentifier(self)
    fileSystem.state.withLock { state in
      if state.holders[key]?.writer == me { state.holders[key]?.writer = nil }
      state.holders[key]?.readers.remove(me)
    }
  }
}
