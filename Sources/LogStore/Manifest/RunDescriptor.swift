/// What the manifest knows about a merged run.
struct RunDescriptor: Equatable, Sendable {
  var identifier: RunIdentifier
  var salt: UInt64
  /// The size of its file.
  var byteCount: UInt64
  var keyCount: UInt64
  /// The segments whose keys it holds, by the ordinals that stand in the run. Those that are not
  /// listed any more were compacted since; look-ups pass over what the run says of them.
  var segments: [SegmentIdentifier]
}
