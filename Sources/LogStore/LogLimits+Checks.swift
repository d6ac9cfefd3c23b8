extension LogLimits {
  /// Throws unless a record may have a key and a payload of these sizes.
  package static func checkRecord(keyByteCount: Int, payloadByteCount: Int) throws(LogError) {
    guard keyByteCount > 0 else { throw .emptyKey }
    try check("key bytes", LogLimits.keyByteCount, keyByteCount)
    try check("payload bytes", LogLimits.payloadByteCount, payloadByteCount)
  }

  /// Throws unless a record may have that schema version.
  static func checkSchemaVersion(_ schemaVersion: UInt64) throws(LogError) {
    guard schemaVersion <= LogLimits.schemaVersion else {
      throw .limitExceeded(
        name: "schema versions", maximum: LogLimits.schemaVersion, actual: schemaVersion)
    }
  }

  /// Throws unless a commit may have that many records and bytes.
  static func checkCommit(recordCount: Int, byteCount: Int) throws(LogError) {
    try check("records of a commit", commitRecordCount, recordCount)
    try check("bytes of a commit", commitByteCount, byteCount)
  }

  /// Throws unless a commit may begin one more segment. Compaction may go on beyond: it makes them
  /// fewer.
  static func checkNextSegment(segmentCount: Int) throws(LogError) {
    try check("segments", LogLimits.segmentCountForCommits, segmentCount + 1)
  }

  /// Throws unless readers accept a manifest, of which there are `byteCount` bytes.
  static func check(_ manifest: Manifest, byteCount: Int) throws(LogError) {
    try check("bytes of a manifest", Int(clamping: manifestByteCount), byteCount)
    try check("segments", segmentCount, manifest.segments.count)
    try check(
      "merged indexes of ranges", rangedRunCount, manifest.runs.count { !$0.bounds.isAll })
  }

  /// Throws unless an index of so many bytes can be the footer of a segment. Segments are full
  /// before; those of earlier versions may not have been.
  static func checkFooter(byteCount: Int) throws(LogError) {
    let maximum = Int(UInt32.max) - FrameHeader.longByteCount - FrameHeader.alignment
    try check("bytes of a segment's index", maximum, byteCount)
  }

  /// Throws unless that many records may still be numbered.
  static func checkSequence(after last: CommitSequence, recordCount: Int) throws(LogError) {
    guard UInt64(recordCount) < LogLimits.sequence - last.rawValue else {
      throw .limitExceeded(
        name: "records ever written", maximum: LogLimits.sequence - 1,
        actual: last.rawValue + UInt64(recordCount))
    }
  }

  private static func check(_ name: String, _ maximum: Int, _ actual: Int) throws(LogError) {
    if actual > maximum {
      throw .limitExceeded(name: name, maximum: UInt64(maximum), actual: UInt64(actual))
    }
  }
}
