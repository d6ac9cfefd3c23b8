/// A record before a step, by member names; it cannot be changed.
///
/// Reading a member that the record does not have returns nil and makes the step fail with an error
/// that names the member. Valid only during the step.
public struct RecordView {
  private let values: [String: Value]
  private let faults: StepFaults

  init(_ values: [String: Value], faults: StepFaults) {
    self.values = values
    self.faults = faults
  }

  /// The value of the member called `name`.
  public subscript(_ name: String) -> Value {
    guard let value = values[name] else {
      faults.note("the old record has no member \(name)")
      return .null
    }
    return value
  }

  /// The value of the member called `name` as a Swift value.
  public func value<Result: ValueConvertible>(
    _ name: String, as type: Result.Type = Result.self
  ) throws -> Result {
    try Result(stepValue: self[name])
  }

  /// The names of the members.
  public var memberNames: [String] { values.keys.sorted() }
}
