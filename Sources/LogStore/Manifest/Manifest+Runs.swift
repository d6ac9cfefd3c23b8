internal import BinaryCoding

/// The merged runs of a manifest; bytes may be anything.
extension Manifest {
  static func decodeRuns(
    _ reader: inout ByteReader, format: UInt16
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
      if format >= FormatVersion.withRanges { run.bounds = try decodeBounds(&reader) }
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

  private static func decodeBounds(
    _ reader: inout ByteReader
  ) throws(BinaryDecodingError) -> RunBounds {
    let flags = try reader.readByte()
    guard flags & ~(lowerFlag | upperFlag) == 0 else {
      throw .invalidValue(offset: reader.offset, reason: "unknown bounds \(flags)")
    }
    var bounds = RunBounds.all
    if flags & lowerFlag != 0 { bounds.lower = try decodeCut(&reader) }
    if flags & upperFlag != 0 { bounds.upper = try decodeCut(&reader) }
    return bounds
  }

  private static func decodeCut(
    _ reader: inout ByteReader
  ) throws(BinaryDecodingError) -> KeyCut {
    let collection = try reader.readVariableLength(as: UInt32.self)
    let count = try reader.readVariableLength(as: Int.self)
    guard (1...LogLimits.keyByteCount).contains(count) else {
      throw .invalidValue(offset: reader.offset, reason: "a bound of \(count) bytes")
    }
    return KeyCut(collection: collection, key: [UInt8](try reader.readBytes(count)))
  }

  static func encode(_ bounds: RunBounds, to body: inout ByteWriter) {
    body.writeByte(
      (bounds.lower == nil ? 0 : lowerFlag) | (bounds.upper == nil ? 0 : upperFlag))
    for cut in [bounds.lower, bounds.upper] {
      guard let cut else { continue }
      body.writeVariableLength(UInt64(cut.collection))
      body.writeVariableLength(UInt64(cut.key.count))
      body.writeBytes(cut.key)
    }
  }

  private static let lowerFlag: UInt8 = 1
  private static let upperFlag: UInt8 = 2

  /// What later code relies on: a number names one file, and sizes can be added. Segments were
  /// checked before, so that a number that is there more than once is that of a run.
  func checkRunRules() throws(BinaryDecodingError) {
    let numbers = segments.map(\.identifier.rawValue) + runs.map(\.identifier.rawValue)
    let repeated = Self.firstRepeated(numbers)
    guard runs.count(where: { !$0.bounds.isAll }) <= LogLimits.rangedRunCount else {
      throw .invalidValue(offset: 0, reason: "too many runs of ranges")
    }
    for run in runs {
      guard run.identifier.rawValue > 0, run.identifier.rawValue < nextSegment,
        run.identifier.rawValue != repeated
      else { throw .invalidValue(offset: 0, reason: "run \(run.identifier) is misplaced") }
      guard run.byteCount <= LogLimits.runByteCount,
        run.keyCount > 0, run.keyCount <= run.byteCount,
        Self.firstRepeated(run.segments) == nil,
        run.segments.allSatisfy({ $0 != activeSegment }), run.bounds.isPossible,
        run.heads?.isEmpty != true
      else { throw .invalidValue(offset: 0, reason: "run \(run.identifier) is impossible") }
    }
  }

  /// The lowest of the identifiers that are there more than once.
  static func firstRepeated<Identifier: Comparable>(
    _ identifiers: [Identifier]
  ) -> Identifier? {
    let sorted = identifiers.sorted()
    return zip(sorted, sorted.dropFirst()).first { $0 == $1 }?.0
  }

  /// Whether dictionaries may have to be read from a sealed segment.
  func holdsDictionaries(_ segment: SegmentDescriptor) -> Bool {
    usesDictionaries && segment.isSealed
      && segment.live.versions.contains { $0.collection == .catalog }
  }

  /// Lists `run`, and takes out those that are damaged, and those whose keys others have, too.
  ///
  /// A run is needless where runs that cover all of its segments that are listed have, together,
  /// every key that it has.
  mutating func list(_ run: RunDescriptor, damaged: Set<RunIdentifier>) {
    let listed = Set(segments.map(\.identifier))
    let all = (runs.filter { !damaged.contains($0.identifier) } + [run])
      .map { (run: $0, segments: Set($0.segments).intersection(listed)) }
    // The new one stays; few others cover a part of the keys of another.
    var others = all.indices.filter { $0 == all.count - 1 || !all[$0].run.bounds.isAll }
    runs = all.indices.filter { position in
      if position == all.count - 1 { return true }
      let (run, segments) = all[position]
      let covering = others.filter {
        $0 != position && all[$0].segments.count >= segments.count
          && all[$0].segments.isSuperset(of: segments)
      }
      let isNeeded = !run.bounds.isCovered(by: covering.map { all[$0].run.bounds })
      if !isNeeded { others.removeAll { $0 == position } }
      return isNeeded
    }.map { all[$0].run }
  }

  /// Takes out the runs that index no listed segment any more.
  mutating func dropUselessRuns() {
    guard !runs.isEmpty else { return }
    let listed = Set(segments.map(\.identifier))
    runs.removeAll { !$0.segments.contains(where: listed.contains) }
  }
}
