internal import SchemaRegistry

/// Finds the shape that holds a sample of rows.
///
/// A member that is missing or null in some row is optional. Integers become `int64`, or `double`
/// where reals are among them and a double holds each of them exactly; objects become embedded
/// objects, or dictionaries where they are used as such (see ``InferredObject``); cells of CSV and
/// TSV are text. Any other mixture is an error that names the member and two lines, as a guess
/// would put wrong data into the store.
struct ShapeInference {
  private var object = InferredObject()
  private var names: InferredNames
  private(set) var rowCount = 0

  /// An inference that keeps no more names, nor bytes of names, than that, in all objects within
  /// others together.
  init(
    nameCountMaximum: Int = ImportLimits.inferredNameCountMaximum,
    nameByteCountMaximum: Int = ImportLimits.inferredNameByteCountMaximum
  ) {
    names = InferredNames(
      countMaximum: nameCountMaximum, byteCountMaximum: nameByteCountMaximum)
  }

  /// Takes up one row of the sample. After an error the inference must not be used again.
  mutating func add(_ row: ImportRow) throws(ImportError) {
    try object.add(row.members, of: .row, line: row.line, &names)
    rowCount += 1
  }

  /// The shape of all rows so far, as a type of version 0.
  ///
  /// The key must be present in every row, as text or an integer.
  func typeShape(named name: String, key: String) throws(ImportError) -> TypeShape {
    guard rowCount > 0 else { throw .noRows }
    let members = object.members()
    guard let keyMember = members.first(where: { $0.name == key }) else {
      throw .unusableKey(member: key, reason: "no row has it")
    }
    guard !keyMember.type.isOptional else {
      throw .unusableKey(member: key, reason: "some rows lack it")
    }
    guard keyMember.type.isKeyType else {
      throw .unusableKey(
        member: key, reason: "its type is \(keyMember.type), not text or an integer")
    }
    do {
      return try TypeShape(
        name: name, identity: TypeIdentity(introducedIn: 0, originalName: name), keyMember: key,
        members: members)
    } catch {
      throw .unusableShape(error)
    }
  }
}
