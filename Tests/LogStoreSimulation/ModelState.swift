/// What a store must hold after a commit: the value of each key, by the key's number.
struct ModelState: Sendable {
  /// A value, shared by all states that have it.
  final class Value: Sendable {
    let payload: [UInt8]
    let schemaVersion: UInt64
    let hash: UInt64

    init(_ change: SimulatedChange) {
      payload = change.payload
      schemaVersion = change.schemaVersion
      hash = payload.reduce(schemaVersion &+ 1) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
  }

  private(set) var values: [Value?]

  init(keyCount: Int) { values = Array(repeating: nil, count: keyCount) }

  var count: Int { values.reduce(0) { $0 + ($1 == nil ? 0 : 1) } }

  /// The state after `changes`.
  func applying(_ changes: [SimulatedChange]) -> ModelState {
    var state = self
    for change in changes {
      state.values[change.key] = change.byteCount == nil ? nil : Value(change)
    }
    return state
  }

  /// Equal for equal states.
  var fingerprint: UInt64 {
    values.reduce(UInt64(values.count)) { sum, value in
      (sum ^ (value?.hash ?? 0x5BD1)) &* 0x100_0000_01B3
    }
  }
}
