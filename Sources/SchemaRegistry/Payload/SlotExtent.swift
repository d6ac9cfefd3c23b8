/// How far a member's value reaches in a payload: what is needed to pass over it, in plain numbers,
/// so that no references are counted for each.
struct SlotExtent: Sendable {
  enum Kind: Sendable {
    /// Always `byteCount` bytes.
    case fixed
    /// A variable-length integer.
    case number
    /// A length and so many bytes.
    case prefixed
    /// What its type tells.
    case composed
  }

  let kind: Kind
  let byteCount: Int
  let memberIndex: Int
  /// The member's bit in the presence bitmap; -1 when the member is required.
  let presenceBit: Int

  init(_ slot: PayloadLayout.Slot) {
    byteCount = ValueCoding.fixedByteCount(of: slot.type) ?? 0
    switch slot.type {
    case .bool, .float, .double, .date, .uuid: kind = .fixed
    case .int32, .int64: kind = .number
    case .string, .data: kind = .prefixed
    case .optional, .list, .dictionary, .object: kind = .composed
    }
    memberIndex = slot.memberIndex
    presenceBit = slot.presenceBit ?? -1
  }
}
