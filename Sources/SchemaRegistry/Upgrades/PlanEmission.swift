/// How one member of the target gets its bytes.
enum PlanEmission: Sendable {
  /// The bytes of a source member as they are; nil stays nil.
  case copy(Int)
  /// The bytes of a source member, or these for nil.
  case copyOrBytes(Int, [UInt8])
  case bytes([UInt8])
  case absent
  /// The value of a step, encoded.
  case value(Int)
}
