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
    guard !text.isEmpty else {
      // An address without parts is one, too, and Foundation makes none of an empty text.
      guard let address = URLComponents().url else { return nil }
      self = address
      return
    }
    self.init(string: text)
  }
}
