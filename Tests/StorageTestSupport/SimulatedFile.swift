internal import FileIO

/// An open file of a simulated file system.
final class SimulatedFile: File {
  private let fileSystem: SimulatedFileSystem
  private let number: Int
  private let path: String
  private let isWritable: Bool

  init(fileSystem: SimulatedFileSystem, number: Int, path: String, isWritable: Bool) {
    self.fileSystem = fileSystem
    self.number = number
    self.path = path
    self.isWritable = isWritable
  }

  deinit {
    let number = number
    fileSystem.state.withLock { state in state.disk.files[number].handleCount -= 1 }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    try fileSystem.perform(.read, path, offset: offset, count: UInt64(buffer.count)) {
      state throws(FileIOError) -> Int in
      let count = state.disk.files[number].live.withUnsafeBytes { live -> Int in
        guard offset < UInt64(live.count) else { return 0 }
        let start = Int(offset)
        let count = min(buffer.count, live.count - start)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: live[start..<start + count]))
        return count
      }
      state.readByteCount += count
      return state.overlays.isEmpty ? count : try overlay(buffer, count, at: offset, &state)
    }
  }

  /// Makes of what was read what the overlays of the file want to be read.
  private func overlay(
    _ buffer: UnsafeMutableRawBufferPointer, _ count: Int, at offset: UInt64,
    _ state: inout SimulatedState
  ) throws(FileIOError) -> Int {
    var count = count
    for index in state.overlays.indices where path.hasSuffix("/" + state.overlays[index].file) {
      guard let left = state.overlays[index].apply(to: buffer, count: count, at: Int(offset))
      else {
        state.failedReadCount += 1
        throw FileIOError(state.overlays[index].reason, operation: "read", path: path)
      }
      count = left
    }
    return count
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError) {
    let count = parts.reduce(0) { $0 + $1.count }
    let store = { (state: inout SimulatedState, limit: Int) in
      let sequence = state.disk.nextSequence()
      state.disk.files[self.number].write(
        parts, count: min(limit, count), at: Int(offset), sequence: sequence)
    }
    try fileSystem.perform(
      .write, path, offset: offset, count: UInt64(count), partialWrite: store
    ) { state throws(FileIOError) in
      try expectWritable("write")
      guard count > 0 else { return }
      let end = try position(offset, adding: UInt64(count), operation: "write")
      let missing =
        max(0, end - state.disk.files[number].live.count) - state.freeByteCount
      guard missing <= 0 else {
        state.refusedOperationCount += 1
        store(&state, max(0, count - missing))
        throw FileIOError(.noSpace, operation: "write", path: path)
      }
      store(&state, count)
    }
  }

  func synchronize() throws(FileIOError) {
    let lose = { (state: inout SimulatedState, model: SynchronizationFailure) in
      state.disk.files[self.number].losePending(model)
    }
    try fileSystem.perform(.synchronize, path, failedSynchronization: lose) {
      state throws(FileIOError) in
      state.disk.files[number].makeDurable()
      guard fileSystem.profile == .ordered else { return }
      for directory in state.disk.directories.keys {
        state.disk.makeNamesDurable(in: directory)
      }
    }
  }

  func truncate(to size: UInt64) throws(FileIOError) {
    try fileSystem.perform(.truncate, path, offset: size) { state throws(FileIOError) in
      try expectWritable("truncate")
      try resize(to: try position(size, adding: 0, operation: "truncate"), "truncate", &state)
    }
  }

  func allocate(_ range: Range<UInt64>) throws(FileIOError) {
    try fileSystem.perform(
      .allocate, path, offset: range.lowerBound, count: range.upperBound - range.lowerBound
    ) { state throws(FileIOError) in
      try expectWritable("allocate")
      guard !range.isEmpty else { return }
      let end = try position(range.upperBound, adding: 0, operation: "allocate")
      if end > state.disk.files[number].live.count { try resize(to: end, "allocate", &state) }
    }
  }

  func size() throws(FileIOError) -> UInt64 {
    try fileSystem.perform(.size, path) { state throws(FileIOError) in
      let overlay = state.overlays.first { path.hasSuffix("/" + $0.file) }
      let live = state.disk.files[number].live
      return UInt64(overlay?.size(of: live) ?? live.count)
    }
  }

  /// A copy: it keeps the bytes of this moment.
  func map(count: Int) throws(FileIOError) -> MappedBytes {
    precondition(count >= 0, "a count of bytes to map must not be negative")
    return try fileSystem.perform(.map, path, count: UInt64(count)) { state throws(FileIOError) in
      let live = state.disk.files[number].live
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
      copy.copyBytes(from: live.prefix(count))
      var available = min(count, live.count)
      do throws(FileIOError) {
        if !state.overlays.isEmpty { available = try overlay(copy, available, at: 0, &state) }
        guard count <= available else {
          throw FileIOError(.ioError, operation: "map beyond the end", path: path)
        }
      } catch {
        copy.deallocate()
        throw error
      }
      return MappedBytes(UnsafeRawBufferPointer(copy)) { $0.deallocate() }
    }
  }

  private func resize(
    to size: Int, _ operation: String, _ state: inout SimulatedState
  ) throws(FileIOError) {
    let growth = size - state.disk.files[number].live.count
    if growth > 0 { try state.expectSpace(growth, operation: operation, path: path) }
    let sequence = state.disk.nextSequence()
    state.disk.files[number].resize(to: size, sequence: sequence)
  }

  private func expectWritable(_ operation: String) throws(FileIOError) {
    if !isWritable { throw FileIOError(.permissionDenied, operation: operation, path: path) }
  }

  private func position(
    _ offset: UInt64, adding count: UInt64, operation: String
  ) throws(FileIOError) -> Int {
    let (end, overflow) = offset.addingReportingOverflow(count)
    guard !overflow, end <= SimulatedContents.byteCountLimit else {
      throw FileIOError(.noSpace, operation: operation, path: path)
    }
    return Int(end)
  }
}
