/// A file for reading that is opened by its name when it is needed, within a budget of open files.
///
/// For files that never change and are never replaced under their name: opened again they are the
/// same. Safe on any thread.
final class OnDemandFile: File {
  private let name: FileName
  private let directory: any Directory
  private let budget: OpenFileBudget
  private let slot = OpenFileBudget.Slot()
  private let keepsUnmapped: Bool
  /// The file until it is mapped, where it is kept for so long.
  private let kept = Lock<(any File)?>(nil)

  /// Opens the file, so that one that is missing or no plain file is found at once.
  ///
  /// With `keepsUnmapped` it stays open until it is mapped: its name may go, and where the system
  /// does not map it nothing else would lead to it.
  init(
    _ name: FileName, in directory: any Directory, budget: OpenFileBudget,
    keepsUnmapped: Bool = false
  ) throws(FileIOError) {
    self.name = name
    self.directory = directory
    self.budget = budget
    self.keepsUnmapped = keepsUnmapped
    guard keepsUnmapped else {
      _ = try file()
      return
    }
    let opened = try budget.retrying { () throws(FileIOError) in try directory.open(name, .read) }
    kept.withLock { $0 = opened }
  }

  deinit { budget.close(slot) }

  fileprivate func file() throws(FileIOError) -> any File {
    if keepsUnmapped, let file = kept.withLock({ file in file }) { return file }
    return try budget.file(of: slot) { () throws(FileIOError) in try directory.open(name, .read) }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    try file().read(into: buffer, at: offset)
  }

  func size() throws(FileIOError) -> UInt64 { try file().size() }

  /// Maps the file and closes it: a mapping needs no descriptor.
  func map(count: Int) throws(FileIOError) -> MappedBytes {
    let mapped = try file().map(count: count)
    // The system's call is made outside of the lock.
    _ = kept.withLock { file in file.take() }
    budget.close(slot)
    return mapped
  }

  func clone(_ byteCount: UInt64, to target: any File) throws(FileIOError) -> Bool {
    try file().clone(byteCount, to: target)
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError) {
    throw refusal("write")
  }

  /// Makes durable what others wrote to the file.
  func synchronize() throws(FileIOError) { try file().synchronize() }

  func truncate(to size: UInt64) throws(FileIOError) { throw refusal("truncate") }

  func allocate(_ range: Range<UInt64>) throws(FileIOError) { throw refusal("allocate") }

  private func refusal(_ operation: String) -> FileIOError {
    FileIOError(.permissionDenied, operation: operation, path: "\(directory.path)/\(name)")
  }
}

extension File {
  /// The same file with a descriptor that it keeps as long as it is held, beside any budget: where
  /// it is opened by its name when it is needed, that is done here.
  package func opened() throws(FileIOError) -> any File {
    guard let file = self as? OnDemandFile else { return self }
    return try file.file()
  }
}
