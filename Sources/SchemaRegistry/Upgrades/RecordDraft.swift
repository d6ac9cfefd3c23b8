/// A record after a step, by member names, for the step to fill.
///
/// It starts with the value of every member that lives on and the defaults of new ones. A member
/// that the record does not have, or the key, cannot be set: the step then fails with an error that
/// names the member. Valid only during the step.
public struct RecordDraft {
  private(set) var values: [String: Value]
  private let keyMember: String
  private let faults: StepFaults

  init(_ values: [String: Value], keyMember: String, faults: StepFaults) {
    self.values = values
    self.keyMember = keyMember
    self.faults = faults
  }

  /// The value of the member called `name`.
  public subscript(_ name: String) -> Value {
    get {
      guard let value = values[name] else {
        faults.note("the new record has no member \(name)")
        return .null
      }
      return value
    }
    set {
      if name == keyMember {
        faults.note("the step sets \(name), which is the primary key and cannot change here")
      } else if values[name] == nil {
        faults.note("the new record has no member \(name)")
      } else {
        values[name] = newValue
      }
    }
  }

  /// The value of the member called `name` as a Swift value.
  public func value<Result: ValueConvertible>(
    _ name: String, as type: Result.Type = Result.self
  ) throws -> Result {
    try Result(stepValue: self[name])
  }

  /// Sets the member called `name` to a Swift value.
  public mutating func set(_ name: String, to value: some ValueConvertible) {
    self[name] = value.stepValue
  }
}
