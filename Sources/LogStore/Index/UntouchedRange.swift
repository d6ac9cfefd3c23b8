internal import BinaryCoding
internal import FileIO

/// A run of a range that nobody else has keys of, where all indexes are merged a range at a time:
/// merging would write its keys again, as they are. So its file is copied.
///
/// Everything else is as if it had been merged: the copy has a name of its own, and covers the
/// segments of all indexes, of which none has a key of the range that the run does not have.
struct UntouchedRange {
  let coverage: RunCoverage

  private var descriptor: RunDescriptor { coverage.run.descriptor }

  /// Of the keys of some pages, at most this part may lie in segments that are gone.
  private static let needlessPartMaximum = 32
  private static let sampledPageCount = 16
  private static let bufferByteCount = 256 << 10

  /// The run of `sources` that begins where `range` does and has about as many keys as a range has;
  /// whether or not it is untouched.
  static func run(
    of range: RangedMerge, among sources: [SealedIndex.Source]
  ) -> RunCoverage? {
    for case .merged(let coverage) in sources {
      let descriptor = coverage.run.descriptor
      guard !descriptor.bounds.isAll, descriptor.bounds.lower == range.lower,
        !coverage.run.isDamaged, descriptor.keyCount / 2 <= range.keyCount,
        descriptor.keyCount >= range.keyCount / 4
      else { continue }
      return coverage
    }
    return nil
  }

  /// Nothing where another source may have keys of it, too many of its own are needless, or it is
  /// damaged; by which pages the second is told depends on the `seed`. Every byte is checked, as
  /// merging would have read it.
  init?(
    _ coverage: RunCoverage, among sources: [SealedIndex.Source], seed: UInt32
  ) throws(LogError) {
    self.coverage = coverage
    let bounds = coverage.run.descriptor.bounds
    for source in sources where source.fileNumber != coverage.run.descriptor.identifier.rawValue {
      guard Self.isOutside(source, bounds) else { return nil }
    }
    // A list of segments that are gone is not to grow with each copy.
    let listedCount = coverage.segments.count { $0 != nil }
    guard coverage.segments.count / 2 <= listedCount + 32 else { return nil }
    do throws(RunDamage) {
      guard try Self.isMostlyNeeded(coverage, seed: seed) else { return nil }
      try coverage.run.run().checkPlaces()
    } catch {
      try coverage.run.note(error)
      return nil
    }
  }

  /// Whether no key of `source` lies in `bounds`, as far as that is told by the heads of keys.
  private static func isOutside(_ source: SealedIndex.Source, _ bounds: RunBounds) -> Bool {
    if case .merged(let other) = source, source.isRanged {
      let others = other.run.descriptor.bounds
      let isBefore = bounds.lower.flatMap { lower in others.upper.map { $0 <= lower } } ?? false
      let isBehind = bounds.upper.flatMap { upper in others.lower.map { upper <= $0 } } ?? false
      return isBefore || isBehind
    }
    guard let heads = source.heads else { return false }
    if heads.isEmpty { return true }
    // A key with the head of a cut may lie on either side of it.
    let isBefore = bounds.lower.map { heads.last < $0.head } ?? false
    let isBehind = bounds.upper.map { $0.head < heads.first } ?? false
    return isBefore || isBehind
  }

  /// Whether nearly all keys of a run lie in segments that are there, by some of its pages.
  private static func isMostlyNeeded(
    _ coverage: RunCoverage, seed: UInt32
  ) throws(RunDamage) -> Bool {
    let run = try coverage.run.run()
    let pageCount = Int(run.header.pageCount)
    var page = DecodedPage()
    var (neededCount, count) = (0, 0)
    let step = max(1, pageCount / sampledPageCount)
    for number in stride(from: Int(seed) % step, to: pageCount, by: step) {
      try run.withDecodedPage(number) { (found) throws(BinaryDecodingError) in
        count += found.count
        neededCount += try page.decode(found, 0..<found.count, coverage)
      }
    }
    return count - neededCount <= count / needlessPartMaximum
  }

  /// Copies the run to `file`; the descriptor of the copy, or nothing when the run is damaged: then
  /// nothing is in the file.
  func copy(
    as identifier: RunIdentifier, to file: any File, covering segments: [SegmentIdentifier],
    from directory: any Directory, isCancelled: () -> Bool
  ) throws(IndexMerge.Failure) -> RunDescriptor? {
    let isWhole: Bool
    do throws(FileIOError) {
      isWhole = try copyBytes(to: file, from: directory, isCancelled)
    } catch { throw .failed(.fileIO(error)) }
    if isCancelled() { throw .cancelled }
    // Somebody else may have found damage meanwhile.
    if !isWhole || coverage.run.isDamaged {
      coverage.run.noteDamage()
      do throws(FileIOError) { try file.truncate(to: 0) } catch { throw .failed(.fileIO(error)) }
      return nil
    }
    var copy = descriptor
    copy.identifier = identifier
    // Those of older formats say nothing.
    copy.heads = descriptor.heads ?? coverage.run.lendRun { $0.heads }
    let known = Set(descriptor.segments)
    copy.segments += segments.filter { !known.contains($0) }
    return copy
  }

  /// Returns whether the run's file could be read, and is as large as it was written.
  private func copyBytes(
    to file: any File, from directory: any Directory, _ isCancelled: () -> Bool
  ) throws(FileIOError) -> Bool {
    let source: any File
    do throws(FileIOError) {
      source = try directory.openSealed(coverage.run.name)
      guard try source.size() == descriptor.byteCount else { return false }
    } catch {
      guard error.reason == .notFound || error.tellsOfDamage else { throw error }
      return false
    }
    let byteCount = Int(clamping: descriptor.byteCount)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: min(byteCount, Self.bufferByteCount), alignment: 8)
    defer { buffer.deallocate() }
    var offset = 0
    while offset < byteCount, !isCancelled() {
      let part = UnsafeMutableRawBufferPointer(
        rebasing: buffer[..<min(buffer.count, byteCount - offset)])
      do throws(FileIOError) {
        guard try source.read(into: part, at: UInt64(offset)) == part.count else { return false }
      } catch {
        guard error.tellsOfDamage else { throw error }
        return false
      }
      try file.write(UnsafeRawBufferPointer(part), at: UInt64(offset))
      offset += part.count
    }
    return true
  }
}
