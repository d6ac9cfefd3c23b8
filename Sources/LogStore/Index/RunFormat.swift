/// The two kinds of index run, by the version number in their headers.
enum RunFormat: UInt16, Sendable {
  /// The index of one segment, which lies in its footer and has a filter.
  case footer = 1
  /// The index of many segments, which is a file of its own and has a locator.
  case merged = 2

  /// Bytes before the pages; of these only the first 96 are used.
  var headerByteCount: Int { self == .footer ? IndexRunHeader.byteCount : RunFormat.unit }

  /// What a page of it may hold at most.
  var pageKeyCountMaximum: Int { self == .footer ? 64 : 512 }

  /// The parts of a merged run start at multiples of this, so that each page is one of the
  /// operating system's, and one bit remembers that it was checked.
  static let unit = 4096

  /// How messages call it.
  var name: String { self == .footer ? "the footer" : "the run" }
}
