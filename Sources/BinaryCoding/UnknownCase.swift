/// A stored raw value that no case of an enumeration in the code has.
public struct UnknownCase: Equatable, Sendable {
  /// The Swift type.
  public let enumeration: String
  /// The raw value as text, a text in quotes, where the type lists its cases: of others it may be
  /// what a user wrote.
  public let value: String?
  /// The names of the members that lead to it, from the outermost on; empty where it is read.
  public var path: [String] = []

  /// One that was just read.
  public init(enumeration: String, value: String?) {
    self.enumeration = enumeration
    self.value = value
  }
}
