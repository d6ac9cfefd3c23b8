/// What a member is, whatever it is called: the version and the name it was introduced with.
///
/// A renamed member keeps its identity. A member that was removed and introduced again under the
/// same name is a different member, so old values can never reappear in it.
public struct MemberIdentity: Hashable, Comparable, Sendable {
  /// The version that introduced the member.
  public let introducedIn: SchemaVersion
  /// The name the member was introduced with.
  public let originalName: String

  public init(introducedIn: SchemaVersion, originalName: String) {
    self.introducedIn = introducedIn
    self.originalName = originalName
  }

  public static func < (left: MemberIdentity, right: MemberIdentity) -> Bool {
    (left.introducedIn, left.originalName) < (right.introducedIn, right.originalName)
  }
}
