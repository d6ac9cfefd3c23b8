/// What the values of a member mean beside their type: keys of another type, cases of an
/// enumeration, and the same for what is inside of embedded objects.
///
///     Field("home", .object([…]), inside: ["kind": .cases(["house", "flat"])])
///     Add("lines", .list(.object([…])), inside: ["article": .linksTo("Article")])
///
/// Known to histories and models alone: it is in no shape, no fingerprint and no hash, so that
/// writing it to a shipped line is no edit. It belongs to what the member is: it follows renames,
/// and ends when the member is converted or removed.
public struct MemberMeaning: Hashable, Sendable {
  /// The name of the type whose keys the member holds, alone or in lists, dictionaries, optionals.
  public var linksTo: String?
  /// All the values that the member may have, where it holds an enumeration, alone or in lists,
  /// dictionaries, optionals.
  public var cases: [Value]?
  /// The same for members of the embedded object that the member is, or of each one that it holds.
  public var inside: [String: MemberMeaning]

  public init(
    linksTo: String? = nil, cases: [Value]? = nil, inside: [String: MemberMeaning] = [:]
  ) {
    self.linksTo = linksTo
    self.cases = cases
    self.inside = inside
  }

  /// Keys of the type called `type`.
  public static func linksTo(_ type: String) -> Self { Self(linksTo: type) }

  /// One of `cases`, or several.
  public static func cases(_ cases: [Value]) -> Self { Self(cases: cases) }

  /// Embedded objects whose members mean something.
  public static func inside(_ inside: [String: MemberMeaning]) -> Self { Self(inside: inside) }

  /// Whether nothing is said.
  public var isEmpty: Bool { linksTo == nil && cases == nil && inside.isEmpty }
}
