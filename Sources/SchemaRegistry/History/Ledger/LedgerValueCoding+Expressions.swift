internal import BinaryCoding

extension LedgerValueCoding {
  static func write(_ expression: ValueExpression, to writer: inout ByteWriter) {
    writer.writeByte(tag(of: expression))
    switch expression {
    case .member(let name): writer.writeString(name)
    case .constant(let value): write(value, to: &writer)
    case .textBefore(_, let separator), .textAfter(_, let separator):
      writer.writeString(separator)
    case .textBetween(_, let start, let end):
      writer.writeString(start)
      writer.writeString(end)
    case .join(let parts, let separator):
      writer.writeString(separator)
      writer.writeVariableLength(UInt64(parts.count))
    case .field(_, let name), .setting(_, let name, _): writer.writeString(name)
    case .object(let parts):
      writer.writeVariableLength(UInt64(parts.count))
      for part in parts { writer.writeString(part.name) }
    case .reshaped(_, let parts):
      writer.writeVariableLength(UInt64(parts.count))
      for part in parts {
        writer.writeString(part.name)
        write(part.value, to: &writer)
      }
    case .mapped(_, let cases, let otherwise):
      writer.writeVariableLength(UInt64(cases.count))
      for mapping in cases {
        write(mapping.from, to: &writer)
        write(mapping.to, to: &writer)
      }
      writer.writeByte(otherwise == nil ? 0 : 1)
    default: break
    }
    for child in expression.children { write(child, to: &writer) }
  }

  private static func tag(of expression: ValueExpression) -> UInt8 {
    switch expression {
    case .member: 0
    case .constant: 1
    case .textBefore: 2
    case .textAfter: 3
    case .textBetween: 4
    case .trimmed: 5
    case .lowercased: 6
    case .parseInteger: 7
    case .parseDouble: 8
    case .toString: 9
    case .join: 10
    case .orElse: 11
    case .field: 12
    case .object: 13
    case .setting: 14
    case .first: 15
    case .mapped: 16
    case .isEqual: 17
    case .isNil: 18
    case .not: 19
    case .reshaped: 20
    }
  }

  static func readExpression(
    from reader: inout ByteReader, depth: Int
  ) throws(BinaryDecodingError) -> ValueExpression {
    let offset = reader.offset
    try checkDepth(depth, offset)
    let tag = try reader.readByte()
    func next(_ reader: inout ByteReader) throws(BinaryDecodingError) -> ValueExpression {
      try readExpression(from: &reader, depth: depth + 1)
    }
    switch tag {
    case 0: return .member(try reader.readString())
    case 1: return .constant(try readValue(from: &reader, depth: depth))
    case 2, 3:
      let separator = try reader.readString()
      let inner = try next(&reader)
      return tag == 2
        ? .textBefore(inner, separator: separator) : .textAfter(inner, separator: separator)
    case 4:
      let (start, end) = (try reader.readString(), try reader.readString())
      return .textBetween(try next(&reader), start: start, end: end)
    case 5: return .trimmed(try next(&reader))
    case 6: return .lowercased(try next(&reader))
    case 7: return .parseInteger(try next(&reader))
    case 8: return .parseDouble(try next(&reader))
    case 9: return .toString(try next(&reader))
    case 11: return .orElse(try next(&reader), try next(&reader))
    case 12:
      let name = try reader.readString()
      return .field(try next(&reader), name)
    case 14:
      let name = try reader.readString()
      return .setting(try next(&reader), name, try next(&reader))
    case 15: return .first(try next(&reader))
    case 17: return .isEqual(try next(&reader), try next(&reader))
    case 18: return .isNil(try next(&reader))
    case 19: return .not(try next(&reader))
    case 20:
      var parts: [ObjectPart] = []
      for _ in 0..<(try ShapeCoding.readCount(limit: SchemaLimits.memberCount, from: &reader)) {
        parts.append(ObjectPart(try reader.readString(), try next(&reader)))
      }
      return .reshaped(try next(&reader), parts)
    case 10, 13, 16: return try readParts(tag, from: &reader, depth: depth)
    default: throw .invalidValue(offset: offset, reason: "unknown kind of expression")
    }
  }

  /// Expressions with any number of parts.
  private static func readParts(
    _ tag: UInt8, from reader: inout ByteReader, depth: Int
  ) throws(BinaryDecodingError) -> ValueExpression {
    let separator = tag == 10 ? try reader.readString() : ""
    let count = try ShapeCoding.readCount(limit: .max, from: &reader)
    var parts: [ValueExpression] = []
    if tag == 10 {
      for _ in 0..<count { parts.append(try readExpression(from: &reader, depth: depth + 1)) }
      return .join(parts, separator: separator)
    }
    if tag == 13 {
      var names: [String] = []
      for _ in 0..<count { names.append(try reader.readString()) }
      var members: [ObjectPart] = []
      for name in names {
        members.append(ObjectPart(name, try readExpression(from: &reader, depth: depth + 1)))
      }
      return .object(members)
    }
    var cases: [CaseMapping] = []
    for _ in 0..<count {
      cases.append(
        CaseMapping(
          from: try readValue(from: &reader, depth: depth),
          to: try readValue(from: &reader, depth: depth)))
    }
    let hasOther = try PayloadPrimitives.readBool(from: &reader)
    let inner = try readExpression(from: &reader, depth: depth + 1)
    return .mapped(
      inner, cases,
      otherwise: hasOther ? try readExpression(from: &reader, depth: depth + 1) : nil)
  }
}
