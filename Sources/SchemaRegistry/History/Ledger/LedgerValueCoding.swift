internal import BinaryCoding

/// Values and expressions in the ledger, which say themselves what they are.
///
///     value      := 0 | 1 bool | 2 int64 | 3 float | 4 double | 5 text | 6 data | 7 date | 8 uuid
///                 | 9 count { value } | 10 count { key value } | 11 count { name value }
///     expression := tag { part }                  tags in the order of ``ValueExpression``, from 0
///
/// In the order: nil, bool, int, float, double, string, data, date, uuid, list, dictionary, object.
/// The names of the last two ascend by their bytes.
enum LedgerValueCoding {
  static func write(_ value: Value, to writer: inout ByteWriter) {
    switch value {
    case .null: writer.writeByte(0)
    case .bool(let value):
      writer.writeByte(1)
      writer.writeByte(value ? 1 : 0)
    case .int(let value):
      writer.writeByte(2)
      writer.writeInteger(UInt64(bitPattern: value))
    case .float(let value):
      writer.writeByte(3)
      writer.writeInteger(value.bitPattern)
    case .double(let value):
      writer.writeByte(4)
      writer.writeInteger(value.bitPattern)
    case .string(let value):
      writer.writeByte(5)
      writer.writeString(value)
    case .data(let value):
      writer.writeByte(6)
      PayloadPrimitives.writeData(value, to: &writer)
    case .date(let value):
      writer.writeByte(7)
      writer.writeInteger(value.bitPattern)
    case .uuid(let value):
      writer.writeByte(8)
      PayloadPrimitives.writeUUID(value, to: &writer)
    case .list(let values):
      writer.writeByte(9)
      writer.writeVariableLength(UInt64(values.count))
      for value in values { write(value, to: &writer) }
    case .dictionary(let values): write(values, tag: 10, to: &writer)
    case .object(let values): write(values, tag: 11, to: &writer)
    }
  }

  private static func write(
    _ values: [String: Value], tag: UInt8, to writer: inout ByteWriter
  ) {
    writer.writeByte(tag)
    writer.writeVariableLength(UInt64(values.count))
    for (name, value) in values.sorted(by: {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }) {
      writer.writeString(name)
      write(value, to: &writer)
    }
  }

  static func readValue(
    from reader: inout ByteReader, depth: Int
  ) throws(BinaryDecodingError) -> Value {
    let offset = reader.offset
    try checkDepth(depth, offset)
    switch try reader.readByte() {
    case 0: return .null
    case 1: return .bool(try PayloadPrimitives.readBool(from: &reader))
    case 2: return .int(Int64(bitPattern: try reader.readInteger()))
    case 3: return .float(Float(bitPattern: try reader.readInteger()))
    case 4: return .double(Double(bitPattern: try reader.readInteger()))
    case 5: return .string(try reader.readString())
    case 6: return .data(try PayloadPrimitives.readData(from: &reader))
    case 7: return .date(Double(bitPattern: try reader.readInteger()))
    case 8: return .uuid(try PayloadPrimitives.readUUID(from: &reader))
    case 9:
      var values: [Value] = []
      for _ in 0..<(try ShapeCoding.readCount(limit: .max, from: &reader)) {
        values.append(try readValue(from: &reader, depth: depth + 1))
      }
      return .list(values)
    case 10: return .dictionary(try readNamed(from: &reader, depth: depth))
    case 11: return .object(try readNamed(from: &reader, depth: depth))
    default: throw .invalidValue(offset: offset, reason: "unknown kind of value")
    }
  }

  private static func readNamed(
    from reader: inout ByteReader, depth: Int
  ) throws(BinaryDecodingError) -> [String: Value] {
    var values: [String: Value] = [:]
    for _ in 0..<(try ShapeCoding.readCount(limit: .max, from: &reader)) {
      let offset = reader.offset
      let name = try reader.readString()
      let value = try readValue(from: &reader, depth: depth + 1)
      guard values.updateValue(value, forKey: name) == nil else {
        throw .invalidValue(offset: offset, reason: "a name appears twice")
      }
    }
    return values
  }

  static func checkDepth(_ depth: Int, _ offset: Int) throws(BinaryDecodingError) {
    guard depth <= SchemaLimits.depth else {
      throw .invalidValue(
        offset: offset, reason: "it nests deeper than \(SchemaLimits.depth) levels")
    }
  }
}
