internal import LogStore
internal import StorageTestSupport

extension SimulationKnobs: CustomStringConvertible {
  /// One line a knob, as scripts hold them.
  var lines: [String] {
    [
      "knob seed \(seed)", "knob profile \(profile)", "knob segment \(segmentByteCount)",
      "knob read \(readMode)", "knob compression \(compression)",
      "knob maintenance \(maintenance)", "knob keys \(keyCount)",
      "knob collections \(collectionCount)", "knob key-bytes \(keyByteCount)",
      "knob transaction \(transactionByteCount)", "knob open-files \(openFileCount)",
      "knob frames \(frames)",
    ]
  }

  package var description: String {
    lines.map { $0.dropFirst(5) }.joined(separator: ", ")
  }

  /// Takes one knob from a script; false when there is no such knob or value.
  mutating func set(_ name: Substring, to text: Substring) -> Bool {
    switch name {
    case "seed": assign(UInt64(text), to: \.seed)
    case "profile": assign(CrashProfile.allCases.first { "\($0)" == text }, to: \.profile)
    case "segment": assign(Int(text), to: \.segmentByteCount)
    case "read":
      assign([.mapped, .buffered].first { "\($0)" == text }, to: \.readMode)
    case "compression":
      assign([.automatic, .none].first { "\($0)" == text }, to: \.compression)
    case "maintenance":
      assign([.inline, .none].first { "\($0)" == text }, to: \.maintenance)
    case "keys": assign(Int(text), to: \.keyCount)
    case "collections": assign(Int(text), to: \.collectionCount)
    case "transaction": assign(Int(text), to: \.transactionByteCount)
    case "open-files": assign(Int(text), to: \.openFileCount)
    case "frames": assign(Frames.allCases.first { "\($0)" == text }, to: \.frames)
    case "key-bytes": assign(Int(text), to: \.keyByteCount)
    default: false
    }
  }

  private mutating func assign<Value>(
    _ value: Value?, to path: WritableKeyPath<Self, Value>
  ) -> Bool {
    guard let value else { return false }
    self[keyPath: path] = value
    return true
  }
}
