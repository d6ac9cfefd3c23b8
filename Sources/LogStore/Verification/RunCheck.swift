internal import BinaryCoding
internal import FileIO

/// Checks one merged run: every byte of its file, that what it says is what the footers say, and
/// the rule that look-ups rest on: the newest record of a key is in each run that covers its
/// segment and is of its range.
struct RunCheck {
  private let coverage: RunCoverage
  private let view: View
  private var bounds: RunBounds { coverage.run.descriptor.bounds }

  /// - Parameter view: what recovery made of the store.
  init(_ descriptor: RunDescriptor, in directory: any Directory, view: View) {
    let listed = SegmentTable(view.sealed, by: \.identifier)
    coverage = RunCoverage(
      MergedRun(descriptor, in: directory, readMode: .buffered), of: listed)
    self.view = view
  }

  /// What is wrong, or nothing.
  func damage() throws(LogError) -> String? {
    let run: IndexRun
    do throws(RunDamage) {
      run = try coverage.run.run()
      try run.checkPlaces()
    } catch { return try Self.reason(error) }
    if let reason = try keyDamage(run) { return reason }
    return try missingKey(run)
  }

  private static func reason(_ error: RunDamage) throws(LogError) -> String {
    switch error {
    case .damaged(let reason): return reason
    case .fileIO(let cause): throw .fileIO(cause)
    }
  }

  /// Every key is found, and its segment's footer says the same.
  private func keyDamage(_ run: IndexRun) throws(LogError) -> String? {
    var keyCount: UInt64 = 0
    var tombstoneCount: UInt64 = 0
    do throws(RunDamage) {
      let cursor = try RunCursor(run, from: nil)
      var last: [UInt8] = []
      var lastCollection: UInt32 = 0
      while let current = cursor.current {
        let isBehind = last.withBytes { bytes in
          bytes.isEmpty
            || IndexKey.compare(IndexKey(CollectionIdentifier(lastCollection), bytes), current.key)
              < 0
        }
        guard isBehind else { return "its keys do not ascend" }
        guard bounds.contains(current.key) else { return "a key lies outside of its range" }
        last = [UInt8](current.key.buffer)
        lastCollection = current.key.collection
        keyCount += 1
        if current.value.isTombstone { tombstoneCount += 1 }
        let hash = RunFilter.hash(CollectionIdentifier(lastCollection), current.key.buffer)
        guard let found = try run.find(current.key, hash: hash), found == current.value else {
          return "a key of it cannot be found"
        }
        guard Int(current.value.ordinal) < coverage.segments.count else {
          return "it names a segment that it does not cover"
        }
        if let segment = coverage.segments[Int(current.value.ordinal)] {
          var expected = current.value
          expected.ordinal = 0
          guard try footerValue(current.key, hash, segment) == expected else {
            return "a key of it differs from segment \(segment.identifier)"
          }
        }
        try cursor.advance()
      }
    } catch { return try Self.reason(error) }
    guard keyCount == run.header.keyCount, tombstoneCount == run.header.tombstoneCount else {
      return "it has \(keyCount) keys"
    }
    return nil
  }

  private func footerValue(
    _ key: IndexKey, _ hash: UInt64, _ segment: Segment
  ) throws(RunDamage) -> IndexValue? {
    do throws(LogError) { return try segment.find(key, hash: hash) } catch {
      if case .fileIO(let cause) = error { throw .fileIO(cause) }
      throw .damaged("segment \(segment.identifier) cannot be read, so it cannot be compared")
    }
  }

  private func missingKey(_ run: IndexRun) throws(LogError) -> String? {
    let cursor = try cursorOverFooters()
    let covered = Set(coverage.segments.compactMap { $0?.identifier })
    while let current = cursor.current {
      if case .segment(let segment) = current.origin, covered.contains(segment.identifier) {
        let hash = RunFilter.hash(
          CollectionIdentifier(current.key.collection), current.key.buffer)
        do throws(RunDamage) {
          guard let hit = try coverage.find(current.key, hash: hash), hit.value == current.value,
            hit.segment.identifier == segment.identifier
          else { return "a key of segment \(segment.identifier) is missing" }
        } catch { return try Self.reason(error) }
      }
      try cursor.advance()
    }
    return nil
  }

  /// Over the keys of the run's range.
  private func cursorOverFooters() throws(LogError) -> MergingCursor {
    let lower = KeyBuffer()
    let upper = KeyBuffer()
    bounds.lower?.withIndexKey { lower.set($0) }
    bounds.upper?.withIndexKey { upper.set($0) }
    return try MergingCursor(
      view: view, overlay: nil, sealed: view.sealed.map { .footer($0) },
      bounds: WalkBounds(lower: lower.key, upper: upper.key))
  }
}
