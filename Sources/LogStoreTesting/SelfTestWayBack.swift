internal import ObjectStore

/// Whether an older app can do with upgraded records what its grade promises.
struct SelfTestWayBack {
  let grade: ForwardGrade
  /// The shape of the older app.
  let known: TypeShape
  /// The version that wrote the records.
  let version: SchemaVersion
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
      return nil
    } catch {
      return "an app of the version before, which may read what version \(version) wrote, "
        + "cannot: \(error)"
    }
  }
}
