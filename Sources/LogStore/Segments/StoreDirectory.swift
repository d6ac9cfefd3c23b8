package import FileIO

/// Every file name of a store.
///
///     MANIFEST                     which segments make up the store; replaced atomically
///     MANIFEST.new                 the next manifest while it is written; ignored otherwise
///     RESERVE                      space for a full disk; holds nothing
///     RESERVE.2, RESERVE.3         empty: inodes for a full disk
///     segment-0000002a.log         segment 42
package enum StoreDirectory {
  package static let manifest = name("MANIFEST")
  static let newManifest = name("MANIFEST.new")
  static let reserve = name("RESERVE")
  static let emptyReserves = [name("RESERVE.2"), name("RESERVE.3")]

  /// The file of a segment.
  package static func segment(_ identifier: SegmentIdentifier) -> FileName {
    let digits = String(identifier.rawValue, radix: 16)
    return name("segment-" + String(repeating: "0", count: 8 - digits.count) + digits + ".log")
  }

  /// The segment whose file is called `text`, or nothing when it is another file.
  static func segmentIdentifier(of text: String) -> SegmentIdentifier? {
    guard text.hasPrefix("segment-"), text.hasSuffix(".log"), text.utf8.count == 20,
      let number = UInt32(text.dropFirst(8).dropLast(4), radix: 16)
    else { return nil }
    let identifier = SegmentIdentifier(number)
    return segment(identifier).description == text ? identifier : nil
  }

  /// The name when it is one that a store uses.
  static func file(_ text: String) -> FileName? {
    if let identifier = segmentIdentifier(of: text) { return segment(identifier) }
    return [manifest, newManifest].first { $0.description == text }
  }

  private static func name(_ text: String) -> FileName {
    guard let name = FileName(text) else {
      preconditionFailure("a file name of the store must be valid")
    }
    return name
  }
}
