internal import BinaryCoding

/// One value of any field type as payload bytes. Depth is bounded by the type, which is checked.
enum ValueCoding {
  /// Why a value cannot be stored, and in which nested member.
  struct Problem: Error {
    var path: String
    let reason: String

    func inside(_ name: String) -> Problem {
      Problem(path: path.isEmpty ? name : "\(name).\(path)", reason: reason)
    }
  }

  static func write(
    _ value: Value, as type: FieldType, to writer: inout ByteWriter
  ) throws(Problem) {
    switch (value, type) {
    case (.bool(let value), .bool): PayloadPrimitives.writeBool(value, to: &writer)
    case (.int(let value), .int64): PayloadPrimitives.writeInt64(value, to: &writer)
    case (.int(let value), .int32):
      guard let small = Int32(exactly: value) else {
        throw Problem(path: "", reason: "the integer does not fit int32")
      }
      PayloadPrimitives.writeInt32(small, to: &writer)
    case (.float(let value), .float): PayloadPrimitives.writeFloat(value, to: &writer)
    case (.double(let value), .double): PayloadPrimitives.writeDouble(value, to: &writer)
    case (.string(let value), .string): PayloadPrimitives.writeString(value, to: &writer)
    case (.data(let value), .data): PayloadPrimitives.writeData(value, to: &writer)
    case (.date(let value), .date): PayloadPrimitives.writeDate(value, to: &writer)
    case (.uuid(let value), .uuid): PayloadPrimitives.writeUUID(value, to: &writer)
    case (.null, .optional): writer.writeByte(0)
    case (_, .optional(let wrapped)):
      writer.writeByte(1)
      try write(value, as: wrapped, to: &writer)
    case (.list(let elements), .list(let element)):
      PayloadPrimitives.writeCount(elements.count, to: &writer)
      for value in elements { try write(value, as: element, to: &writer) }
    case (.dictionary(let values), .dictionary(let element)):
      try write(values, as: element, to: &writer)
    case (.object(let values), .object(let members)):
      try write(values, members: members, to: &writer)
    default:
      throw Problem(path: "", reason: "\(type) expected, \(value.kindName) given")
    }
  }

  private static func write(
    _ values: [String: Value], as type: FieldType, to writer: inout ByteWriter
  ) throws(Problem) {
    PayloadPrimitives.writeCount(values.count, to: &writer)
    for (key, value) in values.sorted(by: {
      $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }) {
      PayloadPrimitives.writeString(key, to: &writer)
      try write(value, as: type, to: &writer)
    }
  }

  private static func write(
    _ values: [String: Value], members: [MemberShape], to writer: inout ByteWriter
  ) throws(Problem) {
    var used = 0
    let bitmap = PresenceBitmap(
      optionalCount: optionalCount(of: members), appendingTo: &writer)
    var bit = 0
    for member in members {
      let value = values[member.name]
      if value != nil { used += 1 }
      if member.type.isOptional {
        defer { bit += 1 }
        guard let value, !value.isNull else { continue }
        bitmap.markPresent(bit, in: &writer)
      }
      do throws(Problem) {
        try write(value ?? .null, as: member.type.unwrapped, to: &writer)
      } catch {
        throw error.inside(member.name)
      }
    }
    guard used == values.count else {
      throw Problem(path: "", reason: "the object has members that its type does not have")
    }
  }

  static func read(
    _ type: FieldType, from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> Value {
    switch type {
    case .bool: return .bool(try PayloadPrimitives.readBool(from: &reader))
    case .int32: return .int(Int64(try PayloadPrimitives.readInt32(from: &reader)))
    case .int64: return .int(try PayloadPrimitives.readInt64(from: &reader))
    case .float: return .float(try PayloadPrimitives.readFloat(from: &reader))
    case .double: return .double(try PayloadPrimitives.readDouble(from: &reader))
    case .string: return .string(try PayloadPrimitives.readString(from: &reader))
    case .data: return .data(try PayloadPrimitives.readData(from: &reader))
    case .date: return .date(try PayloadPrimitives.readDate(from: &reader))
    case .uuid: return .uuid(try PayloadPrimitives.readUUID(from: &reader))
    case .optional(let wrapped):
      let isPresent = try PayloadPrimitives.readBool(from: &reader)
      return isPresent ? try read(wrapped, from: &reader) : .null
    case .list(let element):
      let count = try PayloadPrimitives.readCount(from: &reader)
      var elements: [Value] = []
      for _ in 0..<count { elements.append(try read(element, from: &reader)) }
      return .list(elements)
    case .dictionary(let element):
      return .dictionary(try readDictionary(of: element, from: &reader))
    case .object(let members):
      return .object(try readObject(members, from: &reader))
    }
  }

  private static func readDictionary(
    of element: FieldType, from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [String: Value] {
    let count = try PayloadPrimitives.readCount(from: &reader)
    var values: [String: Value] = [:]
    var previous: String?
    for _ in 0..<count {
      let offset = reader.offset
      let key = try reader.readString()
      if let previous, !previous.utf8.lexicographicallyPrecedes(key.utf8) {
        throw .invalidValue(offset: offset, reason: "dictionary keys are not in order")
      }
      guard values.updateValue(try read(element, from: &reader), forKey: key) == nil else {
        throw .invalidValue(offset: offset, reason: "a dictionary key is used twice")
      }
      previous = key
    }
    return values
  }

  private static func readObject(
    _ members: [MemberShape], from reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [String: Value] {
    let bitmap = try PresenceBitmap.read(
      optionalCount: optionalCount(of: members), from: &reader)
    var bit = 0
    var values = [String: Value](minimumCapacity: members.count)
    for member in members {
      if member.type.isOptional {
        defer { bit += 1 }
        guard PresenceBitmap.isPresent(bit, in: bitmap) else {
          values[member.name] = .null
          continue
        }
      }
      values[member.name] = try read(member.type.unwrapped, from: &reader)
    }
    return values
  }

  static func optionalCount(of members: [MemberShape]) -> Int {
    members.reduce(0) { $0 + ($1.type.isOptional ? 1 : 0) }
  }
}
