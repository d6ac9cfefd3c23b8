/// What a type is, whatever it is called: the version and the name it was introduced with.
///
/// A renamed type keeps its identity and so its records. A type that was removed and introduced
/// again under the same name is a different type: the old records never reappear.
public struct TypeIdentity: Hashable, Comparable, Sendable {
  /// The version that introduced the type.
  public let introducedIn: SchemaVersion
  /// The name the type was introduced with.
  public let originalName: String

  public init(introducedIn: SchemaVersion, originalName: String) {
    self.introducedIn = introducedIn
    self.originalName = originalName
  }

  public static func < (left: TypeIdentity, right: TypeIdentity) -> Bool {
    (left.introducedIn, left.originalName) < (right.introducedIn, right.originalName)
  }
}
