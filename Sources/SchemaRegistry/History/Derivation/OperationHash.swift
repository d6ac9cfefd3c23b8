internal import BinaryCoding

/// The parameters of operations as canonical bytes: what makes two operations the same.
///
/// Closures contribute nothing: their revision is compared by itself. Nor does what an operation
/// says beside what it does to records: which type a member links to, which cases a new one has,
/// what older apps read. Dictionaries are written in key order, types by their text, members of
/// declared types and dropped ones in name order, added cases in the order of their bytes.
enum OperationHash {
  static func hash(_ operation: RecordOperation) -> UInt64 {
    var writer = ByteWriter()
    write(operation, to: &writer)
    return Checksum.xxh64(writer.bytes, seed: 1)
  }

  /// What the author of `operation` says that older apps read; 0 where nothing is said.
  static func hashOfWayBack(_ operation: RecordOperation) -> UInt64 {
    var writer = ByteWriter()
    switch operation {
    case .remove(_, let readAs?): write(readAs, to: &writer)
    case .convert(_, _, _, let inverse?, _): write(inverse, to: &writer)
    case .makeOptional(_, let readAs?), .addCases(_, _, let readAs?): write(readAs, to: &writer)
    case .embedded(_, _, let operations):
      let hashes = operations.map { hashOfWayBack($0) }
      guard hashes.contains(where: { $0 != 0 }) else { return 0 }
      for hash in hashes { writer.writeInteger(hash) }
    default: return 0
    }
    return Checksum.xxh64(writer.bytes, seed: 1)
  }

  static func hash(_ change: SchemaChange) -> UInt64 {
    var writer = ByteWriter()
    switch change {
    case .records(let type, let operations):
      writer.writeString(type)
      for operation in operations { write(operation, to: &writer) }
    case .addType(let type):
      writer.writeString("addType")
      write(type, to: &writer)
    case .renameType(let old, let new): write("renameType", old, new, to: &writer)
    case .removeType(let name): write("removeType", name, to: &writer)
    case .barrier(.rekey(let type, let member, let duplicates)):
      write("rekey", type, member, duplicates.rawValue, to: &writer)
    case .barrier(.retarget(let type, let member, let target, let mapping)):
      write("retarget", type, member, target, mapping == nil ? "" : "closure", to: &writer)
    case .barrier(.embed(let type, let places, let policy)):
      write("embed", type, to: &writer)
      for place in places { write(place.type, place.member, to: &writer) }
      writer.writeByte(policy.rawValue)
    case .barrier(.extract(let type, let key, let places)):
      write("extract", type, key, to: &writer)
      for place in places { write(place.type, place.member, to: &writer) }
    case .barrier(.move(let move)): write(move, to: &writer)
    case .barrier(.code(let name, let types, _, _)):
      write("barrier", name, types.joined(separator: ","), to: &writer)
    }
    return Checksum.xxh64(writer.bytes, seed: 1)
  }

  private static func write(_ move: RecordMove, to writer: inout ByteWriter) {
    write("move", move.type, move.target, move.onExisting.rawValue, to: &writer)
    let dropping = move.dropping.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    write(move.inputs.joined(separator: ","), dropping.joined(separator: ","), to: &writer)
    write(Value.object(move.defaults), to: &writer)
    write(move.condition, to: &writer)
  }

  static func write(_ type: Type, to writer: inout ByteWriter) {
    write(type.name, type.keyMember, to: &writer)
    writer.writeVariableLength(UInt64(type.fields.count))
    for field in type.fields.sorted(by: {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }) {
      write(field.name, field.type.description, to: &writer)
    }
  }

  private static func write(_ texts: String..., to writer: inout ByteWriter) {
    for text in texts { writer.writeString(text) }
  }

  private static func write(_ operation: RecordOperation, to writer: inout ByteWriter) {
    switch operation {
    case .add(let member, let type, let value, _):
      write("add", member, type.description, to: &writer)
      write(value ?? .null, to: &writer)
    case .remove(let member, _): write("remove", member, to: &writer)
    case .rename(let member, let name, let type, let fill):
      write("rename", member, name, type?.description ?? "", to: &writer)
      write(fill ?? .null, to: &writer)
    case .widen(let member, let type): write("widen", member, type.description, to: &writer)
    case .convert(let member, let type, let computation, _, _):
      write("convert", member, type.description, to: &writer)
      write(computation, to: &writer)
    case .require(let member, let fill):
      write("require", member, to: &writer)
      write(fill, to: &writer)
    case .makeOptional(let member, _): write("makeOptional", member, to: &writer)
    case .derive(let member, let type, let inputs, let computation, _):
      write("derive", member, type?.description ?? "", to: &writer)
      writer.writeVariableLength(UInt64(inputs.count))
      for input in inputs { writer.writeString(input) }
      write(computation, to: &writer)
    case .embedded(let member, let each, let operations):
      write(each ? "each" : "on", member, to: &writer)
      writer.writeVariableLength(UInt64(operations.count))
      for operation in operations { write(operation, to: &writer) }
    case .mapCases(let member, let cases, let all):
      write("mapCases", member, to: &writer)
      write(cases, to: &writer)
      write(all.map { .list($0) } ?? .null, to: &writer)
    case .addCases(let member, let cases, _):
      write("addCases", member, to: &writer)
      let encoded = cases.map { value in
        var writer = ByteWriter()
        write(value, to: &writer)
        return writer.array()
      }
      for bytes in encoded.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        writer.writeBytes(bytes)
      }
    case .dropRecords(let inputs, let computation):
      write("dropRecords", inputs.joined(separator: ","), to: &writer)
      write(computation, to: &writer)
    case .rewrite: writer.writeString("rewrite")
    }
  }

  private static func write(_ cases: [CaseMapping], to writer: inout ByteWriter) {
    writer.writeVariableLength(UInt64(cases.count))
    for mapping in cases {
      write(mapping.from, to: &writer)
      write(mapping.to, to: &writer)
    }
  }

  private static func write(_ computation: Computation, to writer: inout ByteWriter) {
    switch computation {
    case .closure: writer.writeString("closure")
    case .expression(let expression): write(expression, to: &writer)
    }
  }

  private static func write(_ expression: ValueExpression, to writer: inout ByteWriter) {
    switch expression {
    case .member(let name): write("member", name, to: &writer)
    case .constant(let value):
      writer.writeString("constant")
      write(value, to: &writer)
    case .textBefore(_, let separator): write("textBefore", separator, to: &writer)
    case .textAfter(_, let separator): write("textAfter", separator, to: &writer)
    case .textBetween(_, let start, let end): write("textBetween", start, end, to: &writer)
    case .trimmed: writer.writeString("trimmed")
    case .lowercased: writer.writeString("lowercased")
    case .parseInteger: writer.writeString("parseInteger")
    case .parseDouble: writer.writeString("parseDouble")
    case .toString: writer.writeString("toString")
    case .join(_, let separator): write("join", separator, to: &writer)
    case .orElse: writer.writeString("orElse")
    case .field(_, let name): write("field", name, to: &writer)
    case .object(let parts):
      writer.writeString("object")
      for part in parts { writer.writeString(part.name) }
    case .setting(_, let name, _): write("setting", name, to: &writer)
    case .reshaped(_, let parts):
      writer.writeString("reshaped")
      writer.writeVariableLength(UInt64(parts.count))
      for part in parts {
        writer.writeString(part.name)
        write(part.value, to: &writer)
      }
    case .first: writer.writeString("first")
    case .mapped(_, let cases, _):
      writer.writeString("mapped")
      write(cases, to: &writer)
    case .isEqual: writer.writeString("isEqual")
    case .isNil: writer.writeString("isNil")
    case .not: writer.writeString("not")
    }
    writer.writeVariableLength(UInt64(expression.children.count))
    for child in expression.children { write(child, to: &writer) }
  }

  private static func write(_ value: Value, to writer: inout ByteWriter) {
    writer.writeString(value.kindName)
    switch value {
    case .null: break
    case .bool(let value): writer.writeByte(value ? 1 : 0)
    case .int(let value): writer.writeInteger(value)
    case .float(let value): writer.writeInteger(value.bitPattern)
    case .double(let value), .date(let value): writer.writeInteger(value.bitPattern)
    case .string(let value): writer.writeString(value)
    case .data(let value): PayloadPrimitives.writeData(value, to: &writer)
    case .uuid(let value): PayloadPrimitives.writeUUID(value, to: &writer)
    case .list(let values):
      writer.writeVariableLength(UInt64(values.count))
      for value in values { write(value, to: &writer) }
    case .dictionary(let values), .object(let values):
      writer.writeVariableLength(UInt64(values.count))
      for (key, value) in values.sorted(by: {
        $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
      }) {
        writer.writeString(key)
        write(value, to: &writer)
      }
    }
  }
}
