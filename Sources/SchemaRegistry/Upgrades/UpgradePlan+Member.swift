internal import BinaryCoding

/// One member of an upgraded record, without the rest of it (H7).
extension UpgradePlan {
  /// Whether ``value(ofMember:in:key:committedAt:)`` may be asked for the member of the target at
  /// `index`: what it gives or throws is then what upgrading the whole record would.
  package func evaluates(_ index: Int) -> Bool { evaluableMembers[index] }

  /// What the member of the target at `index` would hold, or nothing when a step drops the record.
  package func value(
    ofMember index: Int, in payload: [UInt8], key: [UInt8], committedAt: UInt64,
    timing: StepTiming? = nil
  ) throws(SchemaError) -> Value? {
    let slots = target.layout.slots
    guard let slot = slots.firstIndex(where: { $0.memberIndex == index }) else { return nil }
    return try payload.withBytes { (payload: UnsafeRawBufferPointer) throws(SchemaError) in
      try key.withBytes { (key: UnsafeRawBufferPointer) throws(SchemaError) in
        try withRun(on: payload, key: key, committedAt, timing) { (run) throws(SchemaError) in
          try run.value(of: emissions[slot], slots[slot], by: self)
        }
      }
    }
  }

  /// What the member of the target at `index` would hold, whether other members make the upgrade
  /// fail or not; nothing when a step drops the record.
  ///
  /// Where code for whole records runs, all members are needed for it.
  package func valueAlone(
    ofMember index: Int, in payload: [UInt8], key: [UInt8], committedAt: UInt64
  ) throws(SchemaError) -> Value? {
    if segments.count == 1 {
      return try value(ofMember: index, in: payload, key: key, committedAt: committedAt)
    }
    guard let upgraded = try upgrade(payload, key: key, committedAt: committedAt) else {
      return nil
    }
    let keyValue = try KeyCoding.decode(key, as: target.keyType)
    return try upgraded.withBytes { (bytes: UnsafeRawBufferPointer) throws(SchemaError) in
      try RecordPayload.value(ofMember: index, in: bytes, key: keyValue, shape: target)
    }
  }
}
