/// A word that stands for several operations, such as ``Split``; each gets an id of its own.
public protocol CompoundDeclaration: Sendable {
  /// What the word means, in order.
  var operations: [RecordOperation] { get }
}
