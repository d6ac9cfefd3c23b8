internal import BinaryCoding

extension ValueCoding {
  /// The byte count of every value of `type`, when it is always the same.
  static func fixedByteCount(of type: FieldType) -> Int? {
    switch type {
    case .bool: 1
    case .float: 4
    case .double, .date: 8
    case .uuid: 16
    default: nil
    }
  }

  /// Moves past one value without decoding it; checks counts, not text.
  static func skip(
    _ type: FieldType, in reader: inout ByteReader
  ) throws(BinaryDecodingError) {
    switch type {
    case .bool, .float, .double, .date, .uuid:
      _ = try reader.readBytes(fixedByteCount(of: type) ?? 0)
    case .int32, .int64:
      _ = try reader.readVariableLength()
    case .string, .data:
      _ = try reader.readLengthPrefixedBytes()
    case .optional(let wrapped):
      if try PayloadPrimitives.readBool(from: &reader) { try skip(wrapped, in: &reader) }
    case .list(let element):
      try skipList(of: element, in: &reader)
    case .dictionary(let element):
      let count = try PayloadPrimitives.readCount(from: &reader)
      for _ in 0..<count {
        _ = try reader.readLengthPrefixedBytes()
        try skip(element, in: &reader)
      }
    case .object(let members):
      try skipObject(members, in: &reader)
    }
  }

  private static func skipList(
    of element: FieldType, in reader: inout ByteReader
  ) throws(BinaryDecodingError) {
    let offset = reader.offset
    let count = try PayloadPrimitives.readCount(from: &reader)
    guard let size = fixedByteCount(of: element) else {
      for _ in 0..<count { try skip(element, in: &reader) }
      return
    }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: size)
    if overflow {
      throw .endOfBytes(offset: offset, needed: .max, available: reader.remainingByteCount)
    }
    _ = try reader.readBytes(byteCount)
  }

  private static func skipObject(
    _ members: [MemberShape], in reader: inout ByteReader
  ) throws(BinaryDecodingError) {
    let bitmap = try PresenceBitmap.read(
      optionalCount: optionalCount(of: members), from: &reader)
    var bit = 0
    for member in members {
      if member.type.isOptional {
        defer { bit += 1 }
        guard PresenceBitmap.isPresent(bit, in: bitmap) else { continue }
      }
      try skip(member.type.unwrapped, in: &reader)
    }
  }
}
