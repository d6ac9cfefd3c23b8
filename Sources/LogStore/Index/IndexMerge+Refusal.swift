/// Which indexes are left out, where no run can be made of all, or one that takes much more room.
///
/// Each refusal names one index at least. So who merges the others again and again ends.
extension IndexMerge {
  /// Bytes of zeros behind the keys of pages that are passed over in any run, and for each key.
  ///
  /// A page has keys of one collection and takes 4096 bytes: a run of many collections with few
  /// keys each would be many times as large as the indexes it is made of.
  private static let paddingByteCountMaximum: UInt64 = 4 << 20
  private static let paddingByteCountOfKey: UInt64 = 64

  /// Throws where the pages of the run, with those of the ranges before it, are mostly empty, even
  /// if all keys that may come need none: one range may have all of the padding that a merge of all
  /// indexes is allowed.
  func expectDense(_ spread: PageSpread) throws(Failure) {
    let total = spread + (range?.spread ?? PageSpread())
    // Sources have the keys of ranges that were merged twice.
    let wholeKeyCount = min(range?.wholeKeyCount ?? .max, keyCount, 1 << 40)
    let allowed =
      Self.paddingByteCountMaximum + total.usedByteCount
      + Self.paddingByteCountOfKey * wholeKeyCount
    guard total.paddingByteCount > allowed else { return }
    var (paddings, weights): ([UInt64], [UInt64]) = ([], [])
    for source in sources {
      let (padding, worth) = try Self.padding(of: source)
      paddings.append(padding)
      weights.append(padding - min(padding, worth))
    }
    // Where none is sparse by itself the one goes that has most, whatever its keys are worth.
    guard weights.contains(where: { $0 > 0 }) else {
      throw .sparse(heaviest(paddings, above: .max))
    }
    // Half of it: the next ones are to find some room.
    throw .sparse(heaviest(weights, above: Self.paddingByteCountMaximum / 2))
  }

  /// How much of `source` would be padding, if it were merged alone, and what its keys are worth.
  private static func padding(
    of source: SealedIndex.Source
  ) throws(Failure) -> (byteCount: UInt64, worth: UInt64) {
    let header: IndexRunHeader
    switch source {
    case .footer(let segment):
      do throws(LogError) { header = try segment.run().header } catch { throw .failed(error) }
    case .merged(let coverage):
      do throws(RunDamage) { header = try coverage.run.run().header } catch { return (0, 0) }
    }
    let keyCount = min(header.keyCount, 1 << 40)
    var (byteCount, used) = (header.pagesByteCount, header.pagesByteCount)
    if header.format.isMerged {
      // The lines of its directory have one key of each page: so long others are, too, about, and a
      // line's numbers take as much as those of a key.
      used = keyCount * (header.directoryByteCount / (UInt64(header.pageCount) + 1))
    } else {
      byteCount = UInt64(header.pageCount) * UInt64(RunFormat.unit)
    }
    return (byteCount - min(byteCount, used), paddingByteCountOfKey * keyCount)
  }

  /// Those that have most of the keys of a crowd, in a run whose range ends at `upper`; costs
  /// reading all indexes as far as that. Keys behind it are not in the run: so many as they may be,
  /// a few of any belong to the part that the crowd fills.
  func indexes(
    of crowd: HashCrowd, _ upper: KeyCut?, _ isCancelled: () -> Bool
  ) throws(Failure) -> Set<UInt32> {
    var weights = [UInt64](repeating: 0, count: sources.count)
    let cursor = try cursor(from: range?.lower)
    var count: UInt64 = 0
    while let current = cursor.top {
      let key = current.pointee.window.key.pointee
      if let upper, upper.withIndexKey({ IndexKey.compare(key, $0) >= 0 }) { break }
      let collection = CollectionIdentifier(key.collection)
      if crowd.contains(RunFilter.hash(collection, key.buffer)) {
        weights[current.pointee.source] += 1
      }
      count += 1
      if count % Self.keyCountBetweenChecks == 0, isCancelled() { throw .cancelled }
      do throws(LogError) { try cursor.advance() } catch { throw .failed(error) }
    }
    return heaviest(weights, above: HashCrowd.keyCountMaximum)
  }

  /// The file numbers of those that weigh most, without which the others weigh no more than
  /// `maximum`; one at least.
  private func heaviest(_ weights: [UInt64], above maximum: UInt64) -> Set<UInt32> {
    var total = weights.reduce(0, &+)
    var numbers: Set<UInt32> = []
    for position in weights.indices.sorted(by: { weights[$0] > weights[$1] }) {
      if total <= maximum, !numbers.isEmpty { break }
      numbers.insert(sources[position].fileNumber)
      total &-= weights[position]
    }
    return numbers
  }
}
