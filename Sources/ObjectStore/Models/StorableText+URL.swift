#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A URL is stored as its absolute text; what it was relative to is not kept apart.
extension URL: StorableText {
  public static var storedKind: String { "URL" }

  public var storedText: String { absoluteString }

  /// The address that a stored text says; nothing when it is none.
  public init?(storedText text: String) {
    self.init(string: text)
  }
}
