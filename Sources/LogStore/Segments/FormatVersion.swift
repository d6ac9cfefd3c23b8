/// The versions of the bytes on disk; Documentation/Format.md is normative.
package enum FormatVersion {
  /// The newest that this library reads.
  package static let current: UInt16 = 2
  /// What manifests and segments are written as that need nothing newer.
  static let first: UInt16 = 1
  /// What a segment that holds parts of a commit is written as, and the oldest reader for it.
  static let withPartsOfCommits: UInt16 = 2
  /// What a manifest that lists merged runs is written as, and the oldest reader for it.
  static let withRuns: UInt16 = 2
}
