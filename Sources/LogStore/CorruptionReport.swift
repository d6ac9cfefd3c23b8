internal import FileIO

/// Where durable bytes are not what was written.
public struct CorruptionReport: Hashable, Sendable, CustomStringConvertible {
  /// The file's name inside the store.
  public var file: String
  /// The offset of the damaged structure in the file, in bytes.
  public var offset: UInt64
  /// What is wrong there.
  public var reason: String
  /// The dictionary that what lies there needs, where it is that which is lost.
  public var lostDictionary: DictionaryIdentifier?
  /// What to do about it, as the last sentence of what people are told.
  public var remedy = "Restore the store from a backup"

  public init(
    file: String, offset: UInt64, reason: String, lostDictionary: DictionaryIdentifier? = nil
  ) {
    self.lostDictionary = lostDictionary
    self.file = file
    self.offset = offset
    self.reason = reason
  }

  /// Damage of the file that `error` names: nothing can be read there.
  init(unreadable error: FileIOError, at offset: UInt64 = 0) {
    self.init(
      file: error.path.split(separator: "/").last.map(String.init) ?? error.path, offset: offset,
      reason: "it cannot be read: \(error.reason.sentence)")
  }

  /// Whether it is what a copy says of itself: no object is read from that.
  package var isOfBackupRecord: Bool { file == StoreDirectory.backup.description }

  public var description: String {
    "\(file) is damaged at offset \(offset): \(reason); nothing was changed. \(remedy)"
  }
}

extension [CorruptionReport] {
  /// A list has no more than this many: the first ones are what people look at.
  package static var countMaximum: Int { 1000 }

  /// Adds damage unless it is listed already, so that one that is met again and again takes no more
  /// memory.
  package mutating func note(_ damage: CorruptionReport) {
    if count < Self.countMaximum, !contains(damage) { append(damage) }
  }

  /// Adds all of `damages` in the same way.
  package mutating func note(_ damages: [CorruptionReport]) {
    for damage in damages { note(damage) }
  }
}
