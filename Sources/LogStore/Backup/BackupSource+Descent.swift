extension BackupSource {
  /// Whether the store is shown to have had the last user segment of a backup, with all that the
  /// backup has of it: whoever has that has had all commits of the backup.
  ///
  /// A store that was set back without the library has the same segments up to there, and begins
  /// others when it is opened, with other salts. What compaction has replaced is noted; where
  /// nothing ever was, nothing can be told, and the segments that both have are compared only.
  func hasHad(_ earlier: Manifest) -> Bool {
    guard let replaced else { return true }
    if let active = earlier.segments.first(where: { $0.identifier == earlier.activeSegment }) {
      func isSame(_ identifier: SegmentIdentifier, _ salt: UInt64) -> Bool {
        identifier == active.identifier && salt == active.salt
      }
      // Of one that is there still the bytes are compared.
      return manifest.segments.contains { isSame($0.identifier, $0.salt) }
        || replaced.segments.contains {
          isSame($0.identifier, $0.salt) && $0.end >= earlier.lastSequence
        }
    }
    let (last, hash) = (earlier.lastUserSegment, earlier.lastUserHash)
    // Nobody has ever committed anything to what is in no user segment.
    return last == 0 || last == manifest.lastUserSegment && hash == manifest.lastUserHash
      || manifest.segments.contains { $0.identifier.rawValue == last && $0.closingHash == hash }
      || replaced.segments.contains { $0.identifier.rawValue == last && $0.closingHash == hash }
  }
}
