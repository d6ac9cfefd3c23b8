public import BinaryCoding

/// Where the values of a type's members stand in a record payload.
///
///     payload := presenceBitmap { value }      one value per present member, in member order
///
/// The key is not in the payload: it is the record's key. An optional member that is nil has a
/// zero bit and no bytes; one that is present has exactly the bytes of a required one.
public struct PayloadLayout: Sendable {
  /// One member's place in the payload.
  public struct Slot: Sendable {
    /// The position of the member in the shape.
    public let memberIndex: Int
    /// The member's type without optional.
    public let type: FieldType
    /// The member's bit in the presence bitmap; nil when the member is required.
    public let presenceBit: Int?
  }

  /// The members in payload order: all but the key.
  public let slots: [Slot]
  private let extents: [SlotExtent]
  /// How many members have a presence bit.
  public let optionalCount: Int
  /// How many members the shape has, the key among them.
  public let memberCount: Int

  init(members: [MemberShape], keyIndex: Int) {
    var slots: [Slot] = []
    slots.reserveCapacity(members.count)
    var bit = 0
    for (index, member) in members.enumerated() where index != keyIndex {
      let isOptional = member.type.isOptional
      slots.append(
        Slot(
          memberIndex: index, type: member.type.unwrapped, presenceBit: isOptional ? bit : nil))
      if isOptional { bit += 1 }
    }
    self.slots = slots
    extents = slots.map { SlotExtent($0) }
    optionalCount = bit
    memberCount = members.count
  }

  /// Finds every member's bytes without decoding them, for `ranges`, which knows none.
  ///
  /// One walk over the payload.
  /// Throws unless the values end exactly where `payload` ends. Text is not validated.
  func find(
    _ ranges: MemberRanges, in payload: UnsafeRawBufferPointer
  ) throws(BinaryDecodingError) {
    var reader = ByteReader(payload)
    let bitmap = try PresenceBitmap.read(optionalCount: optionalCount, from: &reader)
    for index in extents.indices {
      let extent = extents[index]
      if extent.presenceBit >= 0, !PresenceBitmap.isPresent(extent.presenceBit, in: bitmap) {
        continue
      }
      let start = reader.offset
      switch extent.kind {
      case .fixed: _ = try reader.readBytes(extent.byteCount)
      case .number: _ = try reader.readVariableLength()
      case .prefixed: _ = try reader.readLengthPrefixedBytes()
      case .composed: try ValueCoding.skip(slots[index].type, in: &reader)
      }
      ranges.insert(start..<reader.offset, for: extent.memberIndex)
    }
    try reader.expectEnd()
  }

  /// Moves `reader` past one present value of `type` without decoding it.
  public static func skip(
    _ type: FieldType, in reader: inout ByteReader
  ) throws(BinaryDecodingError) {
    try ValueCoding.skip(type, in: &reader)
  }
}
