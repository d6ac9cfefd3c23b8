/// How an older app sees records that a newer one wrote, and writes them without losing what it
/// does not know.
///
/// Members are found by what they are, whatever they are called. Made from shapes alone; whether
/// the values still mean the same is told by the grades that the newer app recorded.
package struct Projection: Sendable {
  /// The shape that the app knows.
  package let known: TypeShape
  /// The shape that the records have, of a later version.
  package let stored: TypeShape
  /// For each known member where it is stored; nothing for one that was removed.
  private let places: [Int?]
  private let version: SchemaVersion

  /// Throws ``SchemaError/writtenByNewer(type:version:reason:)`` when a member cannot be read.
  package init(
    known: TypeShape, stored: TypeShape, version: SchemaVersion
  ) throws(SchemaError) {
    self.known = known
    self.stored = stored
    self.version = version
    var places: [Int?] = []
    for member in known.members {
      let place = stored.members.firstIndex { $0.identity == member.identity }
      if let place {
        guard Self.canRead(member.type.unwrapped, stored.members[place].type.unwrapped) else {
          throw .writtenByNewer(
            type: known.name, version: version,
            reason: "\(member.name) is \(stored.members[place].type) there, not \(member.type)")
        }
      } else if !member.type.isOptional {
        throw .writtenByNewer(
          type: known.name, version: version, reason: "\(member.name) was removed there")
      }
      places.append(place)
    }
    self.places = places
  }

  private static func canRead(_ known: FieldType, _ stored: FieldType) -> Bool {
    Widening.isSame(known, stored) || (known == .int32 && stored == .int64)
  }

  /// The payload in the known shape.
  package func read(_ payload: [UInt8], key: Value) throws(SchemaError) -> [UInt8] {
    let values = try RecordPayload.decode(payload, key: key, shape: stored)
    var result: [Value] = []
    for (member, place) in zip(known.members, places) {
      let value = place.map { values[$0] } ?? .null
      guard value.isValid(for: member.type) else {
        throw .writtenByNewer(
          type: known.name, version: version,
          reason: "\(member.name) of \(KeyCoding.text(of: key)) has a value that \(member.type) "
            + "cannot hold")
      }
      result.append(value)
    }
    return try RecordPayload.encode(result, shape: known)
  }

  /// The stored payload with the known members of `payload`; all others stay as they are.
  package func write(
    _ payload: [UInt8], over old: [UInt8], key: Value
  ) throws(SchemaError) -> [UInt8] {
    let values = try RecordPayload.decode(payload, key: key, shape: known)
    var result = try RecordPayload.decode(old, key: key, shape: stored)
    for (index, place) in places.enumerated() {
      guard let place else { continue }
      guard values[index].isValid(for: stored.members[place].type) else {
        throw .writtenByNewer(
          type: known.name, version: version,
          reason: "\(known.members[index].name) is \(stored.members[place].type) there")
      }
      result[place] = values[index]
    }
    return try RecordPayload.encode(result, shape: stored)
  }
}
