/// Operations on the records of one type: `On("Person") { Rename("yearsSinceBirth", to: "age") }`.
///
/// Inside another `On` it changes an embedded object, as in `On("address") { Remove("zip") }`.
/// Operations run in the order they are written and see what the ones before them left.
public struct On: Sendable {
  /// The type's name under the version before, or after a rename above; inside another `On` the
  /// member that holds an embedded object.
  public let type: String
  /// The operations in the order they run.
  public let operations: [RecordOperation]

  public init(_ type: String, @OperationBuilder operations: () -> [RecordOperation]) {
    self.type = type
    self.operations = operations()
  }
}
