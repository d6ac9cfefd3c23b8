/// The kinds of index run, by the version number in their headers.
enum RunFormat: UInt16, Sendable {
  /// The index of one segment, which lies in its footer and has a filter; not written any more.
  case footer = 1
  /// The index of many segments, which is a file of its own and has a locator; not written any
  /// more.
  case merged = 2
  /// As ``footer``, with pages that may be packed.
  case packedFooter = 3
  /// As ``merged``, with pages that may be packed.
  case packedMerged = 4

  /// Whether it is a file of its own, over many segments.
  var isMerged: Bool { self == .merged || self == .packedMerged }

  /// Whether it is one of those that are written now.
  var isPacked: Bool { self == .packedFooter || self == .packedMerged }

  /// Bytes before the pages; of these only the first 96 are used.
  var headerByteCount: Int { Self.headerByteCount(isMerged: isMerged) }

  static func headerByteCount(isMerged: Bool) -> Int {
    isMerged ? unit : IndexRunHeader.byteCount
  }

  /// What a page of it may hold at most.
  var pageKeyCountMaximum: Int {
    switch self {
    case .footer: 64
    case .merged: 512
    case .packedFooter, .packedMerged: 2048
    }
  }

  /// The parts of a merged run start at multiples of this, so that each page is one of the
  /// operating system's, and one bit remembers that it was checked.
  static let unit = 4096

  /// Bytes of the largest page of a merged run: of one of the longest keys, with a unit to spare.
  static let pageByteCountMaximum = 3 * unit

  /// How messages call it.
  var name: String { Self.name(isMerged: isMerged) }

  static func name(isMerged: Bool) -> String { isMerged ? "the run" : "the footer" }
}
