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
  /// The cases that the newest version may have written.
  let cases: [String: [Value]]
  /// Whether the older app reads all of them, and nil in all members that may be nil there.
  let readsAll: Bool
  /// Whether newer versions have everything that the older one writes.
  let keepsAll: Bool
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
      if readsAll {
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
    // What newer versions have no more is not kept.
    guard keepsAll, again != changed else { return nil }
    return "an app of the version before writes a member, and reads another value"
  }
}
