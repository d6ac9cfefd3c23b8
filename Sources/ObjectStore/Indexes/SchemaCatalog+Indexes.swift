internal import BinaryCoding
internal import LogStore
internal import SchemaRegistry

/// The catalog's record of indexes:
///
///     indexes := format(1 byte, 1 or 2) count { type member collection flags version fingerprint }
///     type, member := introducedIn originalName
///     flags := phase in the low 4 bits, 16 when unique       1 byte
///              32 when it is of the elements of lists, in format 2
///
/// Numbers are variable-length integers, the fingerprint has 16 bytes.
extension SchemaCatalog {
  static let indexesKey = CatalogCopy.indexesKey
  private static let indexesFormat: UInt8 = 1
  /// What is written where an index is of elements: who does not know that must not write objects.
  private static let elementsFormat: UInt8 = 2
  private static let uniqueFlag: UInt8 = 16
  private static let elementsFlag: UInt8 = 32

  /// The indexes that changes of a type's objects must keep up.
  func maintainedIndexes(of type: TypeIdentity) -> [StoredIndex] {
    indexes.filter { $0.type == type && $0.phase != .retired }
  }

  /// Gives the indexes of types up whose objects were changed without them; they are built anew.
  mutating func retireIndexes(of types: Set<TypeIdentity>) {
    for position in indexes.indices where types.contains(indexes[position].type) {
      indexes[position].phase = .retired
    }
  }

  static func decodeIndexes(_ payload: [UInt8]) throws(StoreError) -> [StoredIndex] {
    try checkFormat(payload, of: "indexes", known: elementsFormat)
    do throws(BinaryDecodingError) {
      return try payload.withBytes { (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
        var reader = ByteReader(bytes)
        let format = try reader.readByte()
        guard format == indexesFormat || format == elementsFormat else {
          throw .invalidValue(offset: 0, reason: "unknown format of indexes")
        }
        let count = try reader.readVariableLength(as: Int.self)
        var indexes: [StoredIndex] = []
        for _ in 0..<count { indexes.append(try decodeIndex(&reader, format)) }
        guard Set(indexes.map(\.collection)).count == count else {
          throw .invalidValue(offset: reader.offset, reason: "two indexes share a collection")
        }
        try reader.expectEnd()
        return indexes
      }
    } catch { throw .malformedCatalog(reason: "\(error)") }
  }

  private static func decodeIndex(
    _ reader: inout ByteReader, _ format: UInt8
  ) throws(BinaryDecodingError) -> StoredIndex {
    let typeVersion = SchemaVersion(rawValue: try reader.readVariableLength())
    let typeName = try reader.readString()
    let memberVersion = SchemaVersion(rawValue: try reader.readVariableLength())
    let memberName = try reader.readString()
    let number = try reader.readVariableLength()
    guard number > 0, number < UInt64(CollectionIdentifier.catalogCopies.rawValue) else {
      throw .invalidValue(offset: reader.offset, reason: "collection \(number)")
    }
    let flags = try reader.readByte()
    let known = format == elementsFormat ? 15 | uniqueFlag | elementsFlag : 15 | uniqueFlag
    guard let phase = StoredIndex.Phase(rawValue: flags & 15), flags & ~known == 0,
      flags & (uniqueFlag | elementsFlag) != uniqueFlag | elementsFlag
    else {
      throw .invalidValue(offset: reader.offset - 1, reason: "flags of an index")
    }
    let version = SchemaVersion(rawValue: try reader.readVariableLength())
    let high: UInt64 = try reader.readInteger()
    let low: UInt64 = try reader.readInteger()
    return StoredIndex(
      type: TypeIdentity(introducedIn: typeVersion, originalName: typeName),
      member: MemberIdentity(introducedIn: memberVersion, originalName: memberName),
      collection: CollectionIdentifier(UInt32(number)), isUnique: flags & uniqueFlag != 0,
      isOfElements: flags & elementsFlag != 0, phase: phase, version: version,
      fingerprint: ShapeFingerprint(high: high, low: low))
  }

  /// The bytes of ``indexes``.
  func encodedIndexes() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeByte(
      indexes.contains(where: \.isOfElements) ? Self.elementsFormat : Self.indexesFormat)
    writer.writeVariableLength(UInt64(indexes.count))
    for index in indexes {
      writer.writeVariableLength(index.type.introducedIn.rawValue)
      writer.writeString(index.type.originalName)
      writer.writeVariableLength(index.member.introducedIn.rawValue)
      writer.writeString(index.member.originalName)
      writer.writeVariableLength(UInt64(index.collection.rawValue))
      writer.writeByte(
        index.phase.rawValue | (index.isUnique ? Self.uniqueFlag : 0)
          | (index.isOfElements ? Self.elementsFlag : 0))
      writer.writeVariableLength(index.version.rawValue)
      writer.writeInteger(index.fingerprint.high)
      writer.writeInteger(index.fingerprint.low)
    }
    return writer.array()
  }
}
