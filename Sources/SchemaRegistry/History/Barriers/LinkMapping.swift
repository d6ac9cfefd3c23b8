/// Code that gives the key of the new target for that of the old one, or nothing for no link.
public struct LinkMapping: Sendable {
  /// Raised by the author when the meaning of the code changed; code itself cannot be compared.
  public let revision: UInt32
  /// The code; nil when only its description is at hand.
  public let run: (@Sendable (Value) throws -> Value?)?

  public init(revision: UInt32, run: (@Sendable (Value) throws -> Value?)?) {
    self.revision = revision
    self.run = run
  }
}
