internal import SchemaRegistry

/// Turns rows into values of a type, exactly or not at all.
struct RowConverter {
  let shape: TypeShape
  /// Cells of CSV and TSV are text whatever they mean: they are read as the member's type.
  let readsText: Bool
  private let indices: [String: Int]

  init(shape: TypeShape, format: ImportFormat) {
    self.shape = shape
    readsText = format != .jsonLines
    indices = Dictionary(
      zip(shape.members.map(\.name), shape.members.indices), uniquingKeysWith: { first, _ in first }
    )
  }

  /// Refuses names that all rows have, as those of a header, where no row could fit.
  func check(_ names: [String], line: Int) throws(ImportError) {
    for name in names where indices[name] == nil {
      throw .unknownMember(line: line, member: name)
    }
    for member in shape.members where !member.type.isOptional && !names.contains(member.name) {
      throw .missingMember(line: line, member: member.name)
    }
  }

  /// The values of all members, in the order of the shape.
  ///
  /// Members that the row lacks are nil where the type allows it. Members that the type lacks are
  /// an error: an import never drops anything in silence.
  func values(of row: ImportRow) throws(ImportError) -> [Value] {
    var values = [Value?](repeating: nil, count: shape.members.count)
    for member in row.members {
      guard let index = indices[member.name] else {
        throw .unknownMember(line: row.line, member: member.name)
      }
      let conversion = ValueConversion(
        line: row.line, member: member.name, readsText: readsText)
      values[index] = try conversion.value(member.value, as: shape.members[index].type)
    }
    var result: [Value] = []
    result.reserveCapacity(values.count)
    for (value, member) in zip(values, shape.members) {
      guard value != nil || member.type.isOptional else {
        throw .missingMember(line: row.line, member: member.name)
      }
      result.append(value ?? .null)
    }
    return result
  }
}
