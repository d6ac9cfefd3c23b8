package import BinaryCoding

/// What a record is transformed in; used again for the next, so that nothing is allocated for each.
package struct TransformMemory: ~Copyable {
  /// Where a payload may be decompressed to.
  package var old = ByteWriter()
  /// Where the new payload goes; empty when a record's turn comes.
  package var new = ByteWriter()
  /// Which bytes of the new payload were copied from the old one, as far as that is known.
  package var copies = CopiedRanges()

  init() {}

  /// Forgets the last record, and the memory of a large one.
  mutating func removeAll() {
    Self.empty(&old)
    Self.empty(&new)
    copies.removeAll()
  }

  private static func empty(_ writer: inout ByteWriter) {
    writer.removeAll()
    if writer.allocatedByteCount > RewritePortion.largeByteCount { writer = ByteWriter() }
  }
}
