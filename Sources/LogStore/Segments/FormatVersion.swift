/// The version of the bytes on disk; Documentation/Format.md is normative.
package enum FormatVersion {
  /// What this library writes.
  package static let current: UInt16 = 1
  /// The oldest reader that understands what this library writes.
  static let readerMinimum: UInt16 = 1
}
