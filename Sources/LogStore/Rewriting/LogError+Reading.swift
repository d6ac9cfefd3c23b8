internal import FileIO

extension LogError {
  /// Whether it is a bad place of the disk in the file of one of these sealed segments, to which
  /// nobody writes: others are not concerned, and reading again may succeed.
  package func isFailedReading(of segments: [SegmentIdentifier]) -> Bool {
    guard case .fileIO(let cause) = self, cause.tellsOfDamage else { return false }
    return segments.contains { cause.path.hasSuffix("/\(StoreDirectory.segment($0))") }
  }
}
