internal import BinaryCoding
internal import Synchronization

/// Guessing where a key lies before filter or locator say that it is there: memory brings all of
/// them at a time, and pages whose keys lie evenly need neither.
///
/// What is not proven decides nothing. Look-ups of several keys at once ask for the lines of
/// locators before, as without guesses. See
/// Documentation/Decisions/0088-where-a-key-lies-is-interpolated.md.
extension IndexRun {
  /// What look-ups of a run guess by, made once they have found so many keys that they use most of
  /// its pages.
  ///
  /// Where keys are mostly absent a filter or locator says so sooner than a page. So look-ups of
  /// one key in 64, by its hash, tell what they found; more would take the line from other threads.
  struct Interpolation: ~Copyable {
    fileprivate let table = OnceReference<InterpolatedPlaces>()
    /// Of those that tell.
    private let foundCount = Atomic(0)
    /// Grows with keys that are found and shrinks with those that are not.
    private let luck = Atomic(Self.luckMaximum)

    private static let luckMaximum: UInt8 = 8
    private static let tellingMask: UInt64 = 63
    /// Whether somebody makes the table.
    private let isClaimed = Atomic(false)

    /// Whether keys that are looked up mostly are there.
    @inline(__always)
    var isWorthwhile: Bool { luck.load(ordering: .relaxed) > Self.luckMaximum / 2 }

    /// Whether there is something to guess by.
    var isReady: Bool { table.isStored }

    /// Whether the table pays for a run of so many pages; look-ups found about as many keys.
    @inline(__always)
    fileprivate func isDue(pageCount: Int) -> Bool {
      let count = foundCount.load(ordering: .relaxed)
      return count > 0 && count * Int(Self.tellingMask + 1) >= pageCount
    }

    /// True for the first who asks: who makes the table.
    fileprivate func claim() -> Bool { !isClaimed.exchange(true, ordering: .relaxed) }

    /// Tells what came of a look-up, if its hash is one of those that do.
    @inline(__always)
    func tell(_ isFound: Bool, hash: UInt64) {
      if hash & Self.tellingMask == 0 { tell(isFound) }
    }

    @inline(never)
    private func tell(_ isFound: Bool) {
      let luck = luck.load(ordering: .relaxed)
      let next = isFound ? min(luck + 1, Self.luckMaximum) : luck - min(luck, 1)
      if next != luck { self.luck.store(next, ordering: .relaxed) }
      if isFound, !table.isStored { foundCount.wrappingAdd(1, ordering: .relaxed) }
    }
  }

  /// Where `key` lies, if there; makes what is needed for that when it pays.
  @inline(__always)
  func guess(_ key: IndexKey) -> InterpolatedPlaces.Guess? {
    guard interpolation.isWorthwhile else { return nil }
    if let guess = interpolation.table.lend({ $0.guess(key) }) { return guess }
    if interpolation.isDue(pageCount: directory.pageCount) { interpolate() }
    return nil
  }

  /// Makes what is guessed by, unless another thread does.
  @inline(never)
  func interpolate() {
    guard interpolation.claim() else { return }
    _ = interpolation.table.storeIfNil(InterpolatedPlaces(directory))
  }

  /// What the page of `guess` says by itself; when it says nothing, all that is read next is asked
  /// for.
  @inline(__always)
  func answer(
    _ key: IndexKey, hash: UInt64, by guess: InterpolatedPlaces.Guess
  ) -> FastAnswer? {
    prefetch(guess)
    if let place = guess.place, place.isEven {
      switch answer(key, at: place.position, of: guess) {
      case .unknown: break
      case .absent:
        interpolation.tell(false, hash: hash)
        return .absent
      case .found(let value):
        interpolation.tell(true, hash: hash)
        return .found(value)
      }
    }
    prefetchLine(hash)
    return nil
  }

  /// Asks for the head of the page, and for the key's place in it.
  @inline(__always)
  private func prefetch(_ guess: InterpolatedPlaces.Guess) {
    guard let base = memory?.baseAddress else { return }
    let page = base + format.headerByteCount + guess.start
    Prefetch.read(page, count: RunPage.mergedHeaderByteCount + PagePacking.byteCount)
    if let place = guess.place {
      Prefetch.read(page + place.offset, count: RunPage.prefetchedFieldByteCount)
    }
  }

  /// What the page says that has evenly lying keys; nothing unless it was checked.
  @inline(never)
  private func answer(
    _ key: IndexKey, at position: Int, of guess: InterpolatedPlaces.Guess
  ) -> FastAnswer {
    let number = format.isMerged ? guess.start / RunFormat.unit : guess.page
    guard let memory, checked.contains(number) else { return .unknown }
    do throws(RunDamage) {
      // A page of a merged run that has more than a unit has a single key.
      let place =
        format.isMerged
        ? guess.start..<(guess.start + RunFormat.unit) : try place(ofPage: guess.page)
      let page = try bytes(in: memory, at: place, isChecked: nil, as: .page)
      return PackedSuffixes.answer(key, around: position, inPacked: page)
    } catch { return .unknown }
  }

  /// Notes how the page is packed that starts at `start`, if it is the one that was guessed and
  /// nothing is known of it.
  @inline(__always)
  func note(
    _ page: UnsafeRawBufferPointer, startingAt start: Int, for guess: InterpolatedPlaces.Guess?
  ) {
    guard let guess, !guess.isNoted, guess.start == start else { return }
    note(page, for: guess)
  }

  @inline(never)
  private func note(_ page: UnsafeRawBufferPointer, for guess: InterpolatedPlaces.Guess) {
    _ = interpolation.table.lend { table in
      guard let first = RunPage.offsetInPacked(page, at: 0),
        let decoded = try? RunPage(page, format: format), let packing = decoded.packing
      else { return table.noteUnpacked(guess) }
      table.note(first: first, stride: packing.stride, count: decoded.count, of: guess) {
        decoded.head(at: $0, packing)
      }
    }
  }
}
