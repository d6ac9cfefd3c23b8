/// One version of a history and what it changed: `Version(1) { On("Person") { … } }`.
///
/// A version may be empty: then only the number grew.
public struct Version: Sendable {
  /// The version's number.
  public let number: SchemaVersion
  /// What the version changed, in order.
  public let changes: [SchemaChange]

  public init(_ number: SchemaVersion, @ChangeBuilder changes: () -> [SchemaChange]) {
    self.init(number: number, changes: changes())
  }

  /// The same without a builder, for tools.
  public init(number: SchemaVersion, changes: [SchemaChange]) {
    self.number = number
    self.changes = changes
  }
}
