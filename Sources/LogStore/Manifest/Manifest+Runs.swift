internal import BinaryCoding

/// The merged runs of a manifest; bytes may be anything.
extension Manifest {
  static func decodeRuns(
    _ reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [RunDescriptor] {
    let count = try reader.readVariableLength(as: Int.self)
    guard count <= min(LogLimits.segmentCount, reader.remainingByteCount) else {
      throw .invalidValue(offset: reader.offset, reason: "\(count) runs")
    }
    var runs: [RunDescriptor] = []
    for _ in 0..<count {
      var run = RunDescriptor(
        identifier: RunIdentifier(try reader.readVariableLength(as: UInt32.self)),
        salt: try reader.readInteger(UInt64.self), byteCount: try reader.readVariableLength(),
        keyCount: try reader.readVariableLength(), segments: [])
      let segmentCount = try reader.readVariableLength(as: Int.self)
      guard segmentCount <= min(LogLimits.segmentCount, reader.remainingByteCount) else {
        throw .invalidValue(offset: reader.offset, reason: "a run of \(segmentCount) segments")
      }
      for _ in 0..<segmentCount {
        run.segments.append(SegmentIdentifier(try reader.readVariableLength(as: UInt32.self)))
      }
      runs.append(run)
    }
    return runs
  }

  /// What later code relies on: a number names one file, and sizes can be added.
  func checkRunRules() throws(BinaryDecodingError) {
    var seen = Set(segments.map(\.identifier.rawValue))
    for run in runs {
      guard run.identifier.rawValue > 0, run.identifier.rawValue < nextSegment,
        seen.insert(run.identifier.rawValue).inserted
      else { throw .invalidValue(offset: 0, reason: "run \(run.identifier) is misplaced") }
      guard run.byteCount <= LogLimits.runByteCount, run.keyCount <= run.byteCount,
        Set(run.segments).count == run.segments.count,
        run.segments.allSatisfy({ $0 != activeSegment })
      else { throw .invalidValue(offset: 0, reason: "run \(run.identifier) is impossible") }
    }
  }

  /// Whether dictionaries may have to be read from a sealed segment.
  func holdsDictionaries(_ segment: SegmentDescriptor) -> Bool {
    usesDictionaries && segment.isSealed
      && segment.live.versions.keys.contains { $0.collection == .catalog }
  }

  /// Takes out the runs that index no listed segment any more.
  mutating func dropUselessRuns() {
    guard !runs.isEmpty else { return }
    let listed = Set(segments.map(\.identifier))
    runs.removeAll { !$0.segments.contains(where: listed.contains) }
  }
}
