/// A change of a file that only its next synchronization makes durable.
struct PendingChange: Sendable {
  enum Kind: Sendable {
    /// The sectors that were written, whole, as they were after the write. `sizes` are the sizes
    /// the file may have when the write made it grow: half-way, where there is one, and in full.
    case write(start: Int, sectors: [UInt8], sizes: [Int])
    case resize(to: Int)
  }

  /// The place in the order of all changes of the file system.
  var sequence: Int
  var kind: Kind
}
