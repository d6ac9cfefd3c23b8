internal import FileIO

/// Merges some indexes of a view into one run; nothing of the store changes until it is published.
///
/// Works from one view while others commit, read and compact. Memory is a page for each index plus
/// what ``MergedRunBuilder`` needs. It holds segments and files, not the log.
struct IndexMerge {
  let view: View
  let sources: [SealedIndex.Source]
  let identifier: RunIdentifier
  let salt: UInt64
  let directory: any Directory
  let ownership: StoreOwnership
  /// Which range of keys is merged, where not all are.
  var range: RangedMerge?
  /// Bytes of the run's directory, above which no key is added; less in tests.
  var directoryByteCountMaximum = MergedRunBuilder.directoryByteCountMaximum

  /// Why there is no run.
  enum Failure: Error {
    case cancelled
    /// There are more keys than one run can hold, and it is not of a range.
    case tooLarge
    /// No run has room for the keys of all indexes; without those whose files have these numbers
    /// there may be one.
    case crowded(Set<UInt32>)
    /// The run would be mostly empty; without these, or with more besides, it may not be.
    case sparse(Set<UInt32>)
    case failed(LogError)
  }

  static let keyCountBetweenChecks: UInt64 = 4096
  /// A page may have one key only.
  private static let keyCountBetweenPages: UInt64 = 512

  /// Keys of all indexes together; the run has no more.
  var keyCount: UInt64 { sources.reduce(0) { $0 &+ $1.keyCount } }

  /// Writes the run and makes its contents durable, not its name; nothing when there is no key in
  /// the indexes.
  ///
  /// After an error no file is left, as far as it can be removed. Once `isCancelled` has said that
  /// it is given up it is not asked again: it may say something else, and what was not done would
  /// pass for done.
  func perform(
    isCancelled: () -> Bool
  ) throws(Failure) -> (run: RunDescriptor, spread: PageSpread)? {
    var wasCancelled = false
    do throws(Failure) {
      let written = try write {
        if !wasCancelled { wasCancelled = isCancelled() }
        return wasCancelled
      }
      if let written { return written }
      remove()
      return nil
    } catch {
      remove()
      throw error
    }
  }

  /// Removes the file of a run that will not be listed.
  func remove() { ownership.remove(StoreDirectory.run(identifier)) }

  private func write(
    _ isCancelled: () -> Bool
  ) throws(Failure) -> (run: RunDescriptor, spread: PageSpread)? {
    let segments = Set(sources.flatMap { $0.segments.map(\.identifier) }).sorted()
    let file: any File
    do throws(FileIOError) {
      file = try directory.open(StoreDirectory.run(identifier), .createNew)
    } catch { throw .failed(.fileIO(error)) }
    let before = range.flatMap { UntouchedRange.run(of: $0, among: sources) }
    if let before, let copy = try copy(before, to: file, segments, isCancelled) {
      return (copy, PageSpread())
    }
    var builder = MergedRunBuilder(
      file, salt: salt, directoryByteCountMaximum: directoryByteCountMaximum)
    let end = before?.run.descriptor.bounds.upper
    let upper = try merge(into: &builder, segments, end, isCancelled)
    let spread = builder.spread
    try expectDense(spread)
    guard let summary = try finish(builder, upper, isCancelled) else {
      if isCancelled() { throw .cancelled }
      return nil
    }
    do throws(FileIOError) { try file.synchronize() } catch { throw .failed(.fileIO(error)) }
    let run = RunDescriptor(
      identifier: identifier, salt: salt, byteCount: summary.byteCount,
      keyCount: summary.keyCount, segments: segments,
      bounds: RunBounds(lower: range?.lower, upper: upper), heads: summary.heads)
    return (run, spread)
  }

  /// Copies the run of the range to `file`, if nobody else has keys there; durable on return, but
  /// for the name.
  private func copy(
    _ run: RunCoverage, to file: any File, _ segments: [SegmentIdentifier],
    _ isCancelled: () -> Bool
  ) throws(Failure) -> RunDescriptor? {
    let untouched: UntouchedRange?
    do throws(LogError) {
      untouched = try UntouchedRange(run, among: sources, seed: identifier.rawValue)
    } catch { throw .failed(error) }
    guard
      var copy = try untouched?.copy(
        as: identifier, to: file, covering: segments, from: directory, isCancelled: isCancelled)
    else { return nil }
    do throws(FileIOError) { try file.synchronize() } catch { throw .failed(.fileIO(error)) }
    // What lay behind it may have gone: then there is no range to go on with.
    if let upper = copy.bounds.upper, try cursor(from: upper).top == nil { copy.bounds.upper = nil }
    return copy
  }

  /// Returns where the range ends; nothing behind the last key. It ends where the run of it ended
  /// before, at `end`, if that gives it at least half as many keys as it is to have, and twice as
  /// many at most: then the ranges behind can stay as they are. And it ends where no more keys fit,
  /// even between two that begin alike: look-ups of such keys ask both runs.
  private func merge(
    into builder: inout MergedRunBuilder, _ segments: [SegmentIdentifier], _ end: KeyCut?,
    _ isCancelled: () -> Bool
  ) throws(Failure) -> KeyCut? {
    let cursor = try cursor(from: range?.lower)
    let ordinals = SegmentOrdinals(segments)
    var cutting = RangeCutting(keyCount: range?.keyCount ?? .max, end: end)
    while let current = cursor.top {
      let key = current.pointee.window.key.pointee
      guard builder.mayFollow(key) else { throw unordered(sources[current.pointee.source]) }
      if let cut = cutting.cut(before: key, behind: builder.keyCount) {
        return try rangeEnd(cut, current)
      }
      var value = current.pointee.window.value.pointee
      guard let segment = current.pointee.segment(of: current.pointee.window.value) else {
        preconditionFailure("what is merged lies in segments")
      }
      value.ordinal = ordinals.ordinal(of: segment._withUnsafeGuaranteedRef { $0.identifier })
      let fits: Bool
      do throws(FileIOError) {
        fits = try builder.append(key, value)
      } catch { throw .failed(.fileIO(error)) }
      guard fits else {
        if range == nil { throw .tooLarge }
        return try rangeEnd(KeyCut(before: key), current)
      }
      if builder.keyCount % Self.keyCountBetweenChecks == 0, isCancelled() { throw .cancelled }
      if builder.keyCount % Self.keyCountBetweenPages == 0 { try expectDense(builder.spread) }
      if builder.keyCount % ReadIndexes.keyCountMaximum == 0 {
        for source in sources { source.forgetPages() }
      }
      do throws(LogError) { try cursor.advance() } catch { throw .failed(error) }
    }
    return nil
  }

  /// Where the range ends, before what `current` shows; it must not end before it begins.
  private func rangeEnd(
    _ cut: KeyCut, _ current: UnsafePointer<MergingCursor.Stream>
  ) throws(Failure) -> KeyCut {
    guard RunBounds(lower: range?.lower, upper: cut).isPossible else {
      throw unordered(sources[current.pointee.source])
    }
    return cut
  }

  /// An index shows a key that sorts before one that it has shown: whatever its checksums say, it
  /// is damaged. A merged one is not asked any more, one of a segment is made anew from records.
  private func unordered(_ source: SealedIndex.Source) -> Failure {
    let reason = "the keys of an index do not ascend"
    switch source {
    case .footer(let segment):
      do throws(LogError) { _ = try segment.rebuildRun() } catch { return .failed(error) }
      return .failed(segment.damage(at: segment.dataEnd ?? 0, reason))
    case .merged(let coverage):
      coverage.run.noteDamage()
      let file = coverage.run.name.description
      return .failed(.corruption(CorruptionReport(file: file, offset: 0, reason: reason)))
    }
  }

  func cursor(from lower: KeyCut?) throws(Failure) -> MergingCursor {
    do throws(LogError) {
      guard let lower else {
        return try MergingCursor(view: view, overlay: nil, sealed: sources, includesTable: false)
      }
      return try lower.withIndexKey { (key) throws(LogError) in
        try MergingCursor(
          view: view, overlay: nil, sealed: sources, includesTable: false,
          bounds: WalkBounds(lower: key))
      }
    } catch { throw .failed(error) }
  }

  private func finish(
    _ builder: consuming MergedRunBuilder, _ upper: KeyCut?, _ isCancelled: () -> Bool
  ) throws(Failure) -> MergedRunBuilder.Summary? {
    do throws(MergedRunBuilder.Failure) {
      return try builder.finish(isCancelled: isCancelled)
    } catch {
      switch error {
      case .crowded(let crowd): throw .crowded(try indexes(of: crowd, upper, isCancelled))
      case .run(.fileIO(let cause)): throw .failed(.fileIO(cause))
      case .run(.damaged(let reason)):
        let file = StoreDirectory.run(identifier).description
        throw .failed(.corruption(CorruptionReport(file: file, offset: 0, reason: reason)))
      }
    }
  }
}
