internal import FileIO

/// The directory of a damaged store: bytes that cannot be read are zeros there, which verify as
/// nothing, and are noted.
///
/// Only what tells of damage is passed over: where the process lacks rights or descriptors,
/// nothing is known of the bytes, and reading throws. Nothing can be written.
final class SalvageSource: Directory {
  /// What cannot be read of a file.
  struct Damage {
    var ranges = ByteRanges()
    /// Whether the file cannot even be opened.
    var isWhole = false
    /// The reason of the first failure.
    var reason: FileIOError.Reason

    /// What a loss says.
    var sentence: String { "it cannot be read: \(reason.sentence)" }
  }

  /// The directory itself, where errors are thrown.
  let directory: any Directory
  private let damages = Lock<[FileName: Damage]>([:])

  var path: String { directory.path }

  init(_ directory: any Directory) { self.directory = directory }

  /// What could not be read of a file so far.
  func damage(of name: FileName) -> Damage? {
    damages.withLock { damages in damages[name] }
  }

  /// Notes that `range` cannot be read, or without one, that the file cannot be opened.
  func note(_ error: FileIOError, of name: FileName, in range: Range<UInt64>?) {
    damages.withLock { damages in
      if let range {
        damages[name, default: Damage(reason: error.reason)].ranges.insert(range)
      } else {
        damages[name, default: Damage(reason: error.reason)].isWhole = true
      }
    }
  }

  /// Opens a file for reading; one that is there and cannot be opened has no bytes.
  func open(_ name: FileName, _ mode: OpenMode) throws(FileIOError) -> any File {
    guard mode == .read else { throw refusal("open for writing") }
    do throws(FileIOError) {
      let file = try directory.open(name, .read)
      return SalvageFile(file, byteCount: try file.size(), name: name, in: self)
    } catch {
      guard error.tellsOfDamage else { throw error }
      note(error, of: name, in: nil)
      return SalvageFile(nil, byteCount: 0, name: name, in: self)
    }
  }

  func list() throws(FileIOError) -> [String] { try directory.list() }

  func rename(_ source: FileName, to target: FileName) throws(FileIOError) {
    throw refusal("rename")
  }

  func remove(_ name: FileName) throws(FileIOError) { throw refusal("remove") }

  func synchronize() throws(FileIOError) { throw refusal("synchronize") }

  func freeByteCount() throws(FileIOError) -> UInt64? { nil }

  func lock(_ kind: LockKind) throws(FileIOError) { try directory.lock(kind) }

  func unlock() { directory.unlock() }

  private func refusal(_ operation: String) -> FileIOError {
    FileIOError(.permissionDenied, operation: operation, path: path)
  }
}
