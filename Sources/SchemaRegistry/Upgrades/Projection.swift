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
  /// How members that newer versions took or changed are read, oldest first.
  private let inverses: [MemberInverse]
  /// For each known member whether newer versions changed embedded objects in it.
  private let reachesInside: [Bool]
  /// For each known member the cases that each of the newer versions had which changed them.
  private let cases: [[[Value]]]
  private let version: SchemaVersion
  /// What each way back may make of a record.
  private let expressionByteCount: Int

  /// Throws ``SchemaError/writtenByNewer(type:version:reason:)`` when a member cannot be read.
  package init(
    known: TypeShape, stored: TypeShape, version: SchemaVersion, inverses: [MemberInverse] = [],
    expressionByteCount: Int = SchemaLimits.expressionByteCount
  ) throws(SchemaError) {
    self.known = known
    self.expressionByteCount = expressionByteCount
    self.stored = stored
    self.version = version
    self.inverses = inverses
    var places: [Int?] = []
    for member in known.members {
      let place = stored.members.firstIndex { $0.identity == member.identity }
      // The oldest way back leads to what the app knows.
      if let inverse = inverses.first(where: { $0.member == member.identity }) {
        guard Self.canRead(member.type.unwrapped, inverse.memberType.unwrapped) else {
          throw .writtenByNewer(
            type: known.name, version: version,
            reason: "\(member.name) is read back as \(inverse.memberType), not \(member.type)")
        }
      } else if let place {
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
    reachesInside = known.members.map { member in
      inverses.contains { $0.member == member.identity && $0.expression.reshapes }
    }
    cases = known.members.map { member in
      inverses.compactMap { $0.cases(of: member.identity) }
    }
  }

  private static func canRead(_ known: FieldType, _ stored: FieldType) -> Bool {
    Widening.isSame(known.sorted, stored.sorted) || (known == .int32 && stored == .int64)
  }

  /// The payload in the known shape.
  package func read(_ payload: [UInt8], key: Value) throws(SchemaError) -> [UInt8] {
    let values = try RecordPayload.decode(payload, key: key, shape: stored)
    let readBack = inverses.isEmpty ? nil : try self.readBack(values, key: key)
    return try RecordPayload.encode(try shown(values, readBack, key: key), shape: known)
  }

  /// What the app reads of stored `values`, by the ways back where there are some.
  private func shown(
    _ values: [Value], _ readBack: [MemberIdentity: Value]?, key: Value
  ) throws(SchemaError) -> [Value] {
    var result: [Value] = []
    for (member, place) in zip(known.members, places) {
      let value = readBack?[member.identity] ?? place.map { values[$0] } ?? .null
      guard value.isValid(for: member.type) else {
        throw .writtenByNewer(
          type: known.name, version: version,
          reason: "\(member.name) of \(KeyCoding.text(of: key)) has a value that \(member.type) "
            + "cannot hold")
      }
      result.append(value)
    }
    return result
  }

  private func readBack(
    _ values: [Value], key: Value
  ) throws(SchemaError) -> [MemberIdentity: Value] {
    try states(of: values, key: key).first ?? [:]
  }

  /// The record as the app reads it, and as each of the ways back finds it.
  private func states(
    of values: [Value], key: Value
  ) throws(SchemaError) -> [[MemberIdentity: Value]] {
    var record: [MemberIdentity: Value] = [:]
    for (member, value) in zip(stored.members, values) { record[member.identity] = value }
    var states = [record]
    for inverse in inverses.reversed() {
      // For each its own: what one makes may be large, but not what doubles from one to the next.
      var room = ExpressionRoom(byteCount: expressionByteCount)
      do throws(ExpressionFailure) { try inverse.run(on: &record, &room) } catch {
        throw .writtenByNewer(
          type: known.name, version: version,
          reason: "\(inverse.member.originalName) of \(KeyCoding.text(of: key)) cannot be read "
            + "back: \(error.reason)")
      }
      states.append(record)
    }
    return states.reversed()
  }

  /// What is stored for the `value` of a member that newer versions changed inside: it goes through
  /// their ways back, one after the other.
  private func written(
    _ value: Value, of index: Int, _ states: [[MemberIdentity: Value]], _ key: Value
  ) throws(SchemaError) -> Value {
    let member = known.members[index]
    var value = value
    do throws(WayBackWriting.Refusal) {
      for (inverse, state) in zip(inverses, states.dropFirst())
      where inverse.member == member.identity {
        var object: [String: Value] = [:]
        for input in inverse.inputs { object[input.name] = state[input.member] ?? .null }
        guard let name = inverse.inputs.first(where: { $0.member == inverse.member })?.name else {
          throw WayBackWriting.Refusal(reason: "nothing leads from what this version writes")
        }
        try WayBackWriting.put(
          value, through: inverse.expression, into: &object,
          initial: [name: .object(inverse.initial)])
        value = object[name] ?? .null
      }
      let place = stored.members.first { $0.identity == member.identity }
      if let place, !value.isValid(for: place.type) {
        throw WayBackWriting.Refusal(
          reason: "this version does not know all that new objects in it hold")
      }
      return value
    } catch {
      throw .writtenByNewer(
        type: known.name, version: version,
        reason: "\(member.name) of \(KeyCoding.text(of: key)) cannot be changed so: "
          + error.reason)
    }
  }

  /// The stored payload with the known members of `payload`; all others stay as they are.
  ///
  /// A changed value that would be read back as another one is refused.
  package func write(
    _ payload: [UInt8], over old: [UInt8], key: Value
  ) throws(SchemaError) -> [UInt8] {
    let values = try RecordPayload.decode(payload, key: key, shape: known)
    var result = try RecordPayload.decode(old, key: key, shape: stored)
    // What was read back and not changed stays as the newer app has it.
    let states = inverses.isEmpty ? [] : try self.states(of: result, key: key)
    let before = inverses.isEmpty ? nil : try shown(result, states.first, key: key)
    var changed: [Int] = []
    for (index, place) in places.enumerated() {
      guard let place, before?[index] != values[index] else { continue }
      if reachesInside[index] {
        result[place] = try written(values[index], of: index, states, key)
        continue
      }
      guard values[index].isValid(for: stored.members[place].type) else {
        throw .writtenByNewer(
          type: known.name, version: version,
          reason: "\(known.members[index].name) is \(stored.members[place].type) there")
      }
      guard values[index].isNull || cases[index].allSatisfy({ $0.contains(values[index]) }) else {
        throw .writtenByNewer(
          type: known.name, version: version,
          reason: "\(known.members[index].name) cannot take this \(values[index].kindName), "
            + "which is no case there")
      }
      result[place] = values[index]
      changed.append(index)
    }
    if !inverses.isEmpty { try checkReadBack(of: changed, values, in: result, key: key) }
    return try RecordPayload.encode(result, shape: stored)
  }

  /// Throws when one of the `changed` members would not be read from `result` as it was written.
  private func checkReadBack(
    of changed: [Int], _ values: [Value], in result: [Value], key: Value
  ) throws(SchemaError) {
    let readBack = try readBack(result, key: key)
    for index in changed {
      let member = known.members[index]
      guard readBack[member.identity] != values[index] else { continue }
      throw .writtenByNewer(
        type: known.name, version: version,
        reason: "\(member.name) cannot take this \(values[index].kindName), which would be read "
          + "back as another value")
    }
  }
}
