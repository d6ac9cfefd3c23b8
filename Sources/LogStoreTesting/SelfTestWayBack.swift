internal import ObjectStore

/// Whether an older app can do with upgraded records what its grade promises.
struct SelfTestWayBack {
  let grade: ForwardGrade
  /// The shape of the older app.
  let known: TypeShape
  /// The version that wrote the records.
  let version: SchemaVersion
  /// The cases that members of the older version may have, by the path to each.
  let knownCases: [String: [Value]]
  /// The cases that the newest version may have written, where the older app reads all.
  let cases: [String: [Value]]
  let projection: Result<Projection, SchemaError>

  /// What is wrong for a record of the older version, upgraded by `plan`.
  func problem(
    _ record: (key: [UInt8], payload: [UInt8]), _ plan: UpgradePlan,
    _ random: inout SelfTestRandom
  ) -> String? {
    do throws(SchemaError) {
      let projection = try projection.get()
      let key = try KeyCoding.decode(record.key, as: known.keyType)
      // A record whose upgrade fails is in the older version still.
      guard var payload = try? plan.upgrade(record.payload, key: record.key, committedAt: 0)
      else { return nil }
      if !cases.isEmpty {
        payload = try random.varying(payload, key: key, of: plan.target, cases: cases)
      }
      let readBack = try projection.read(payload, key: key)
      guard grade == .full else { return nil }
      if try projection.write(readBack, over: payload, key: key) != payload {
        return "an app of the version before that changes nothing changes the record"
      }
      return try problem(changing: readBack, over: payload, key, projection, &random)
    } catch {
      return "an app of the version before, which may read what version \(version) wrote, "
        + "cannot: \(error)"
    }
  }

  /// What is wrong when the older app gives one member another value, if that is not refused.
  private func problem(
    changing readBack: [UInt8], over payload: [UInt8], _ key: Value, _ projection: Projection,
    _ random: inout SelfTestRandom
  ) throws(SchemaError) -> String? {
    let changed = try random.changing(readBack, key: key, of: known, cases: knownCases)
    guard let written = try? projection.write(changed, over: payload, key: key) else { return nil }
    let again = try projection.read(written, key: key)
    if try projection.write(again, over: written, key: key) != written {
      return "an app of the version before writes what it read, and changes the record"
    }
    let wanted = try RecordPayload.decode(changed, key: key, shape: known)
    let found = try RecordPayload.decode(again, key: key, shape: known)
    for (index, member) in known.members.enumerated()
    where !Self.isShown(wanted[index], as: found[index]) {
      return "an app of the version before writes \(member.name), and reads another value"
    }
    return nil
  }

  /// Whether a value is read as it was written, but for members that newer versions have no more.
  private static func isShown(_ wanted: Value, as found: Value) -> Bool {
    switch (wanted, found) {
    case (_, .null): true
    case (.list(let wanted), .list(let found)):
      wanted.count == found.count && zip(wanted, found).allSatisfy { isShown($0, as: $1) }
    case (.dictionary(let wanted), .dictionary(let found)),
      (.object(let wanted), .object(let found)):
      wanted.keys == found.keys
        && wanted.allSatisfy { isShown($0.value, as: found[$0.key] ?? .null) }
    default: wanted == found
    }
  }
}
