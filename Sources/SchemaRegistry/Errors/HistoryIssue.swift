/// One thing that is wrong with a history, found without looking at any data.
public struct HistoryIssue: Hashable, Sendable, CustomStringConvertible {
  /// The operation, as in `v3/Person/2`, or the version or type when there is no operation.
  public let operationID: String
  /// The member concerned, as in `Person.email`; nil when the whole type or version is.
  public let member: String?
  /// What is wrong, as one sentence.
  public let problem: String
  /// The edit that would mend it, as one sentence.
  public let suggestion: String

  public init(operationID: String, member: String?, problem: String, suggestion: String) {
    self.operationID = operationID
    self.member = member
    self.problem = problem
    self.suggestion = suggestion
  }

  public var description: String {
    let place = member.map { "\(operationID) (\($0))" } ?? operationID
    return "\(place): \(problem) \(suggestion)"
  }
}
