internal import BinaryCoding
internal import SchemaRegistry

/// Writes an object's members as a record payload, in the order in which they are visited.
struct EncodingVisitor: MemberVisitor {
  // The writer is lent by whoever encodes, and outlives the visitor.
  private let writer: UnsafeMutablePointer<ByteWriter>
  private let bitmap: PresenceBitmap
  private let keyIndex: Int
  private var index = 0
  private var bit = 0
  private(set) var key = Value.null

  /// For an object with a key at `keyIndex`, or for an embedded one without.
  init(optionalCount: Int, keyIndex: Int?, writer: UnsafeMutablePointer<ByteWriter>) {
    self.writer = writer
    bitmap = PresenceBitmap(optionalCount: optionalCount, appendingTo: &writer.pointee)
    self.keyIndex = keyIndex ?? -1
  }

  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    write(&value)
  }

  /// The next member.
  @inline(__always)
  mutating func write<Member: StorableValue>(_ value: inout Member) {
    defer { index += 1 }
    if index == keyIndex {
      key = value.dynamicValue
      return
    }
    if Member.isOptional {
      defer { bit += 1 }
      if value.isAbsent { return }
      bitmap.markPresent(bit, in: &writer.pointee)
    }
    value.encode(to: &writer.pointee)
  }
}
