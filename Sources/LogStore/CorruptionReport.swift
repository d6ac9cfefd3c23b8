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

  public init(
    file: String, offset: UInt64, reason: String, lostDictionary: DictionaryIdentifier? = nil
  ) {
    self.lostDictionary = lostDictionary
    self.file = file
    self.offset = offset
    self.reason = reason
  }

  public var description: String {
    "\(file) is damaged at offset \(offset): \(reason); nothing was changed. "
      + "Restore the store from a backup"
  }
}
