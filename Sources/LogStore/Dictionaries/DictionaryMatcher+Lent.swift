extension DictionaryMatcher {
  /// What a matcher finds matches with, valid as long as the matcher: threads that share it need
  /// not count references to it.
  struct Lent: @unchecked Sendable {
    // Sendable: nothing changes once the matcher is made.

    let dictionary: UnsafeRawPointer
    let byteCount: Int
    let short: PlaceTable.Lent

    /// The longest match that is found at `position` of `payload`, which has `count` bytes, more
    /// than twelve behind it. `places` knows the positions before; this one is added.
    @inline(__always)
    func match(
      _ payload: UnsafeRawPointer, _ count: Int, at position: Int, _ places: PayloadPlaces,
      long: PlaceTable.Lent?
    ) -> DictionaryMatcher.Match {
      let source = payload + position
      let limit = count - DictionaryMatcher.literalsAtEnd - position
      var best = DictionaryMatcher.Match.none
      if let long {
        look(source, limit, in: long, PlaceTable.hash(source, .eight), position, &best)
      }
      let hash = PlaceTable.hash(source, .five)
      if best.length < 8 { look(source, limit, in: short, hash, position, &best) }
      if let earlier = places.replace(hash, by: position) {
        let length = DictionaryMatcher.sharedByteCount(payload + earlier, source, limit: limit)
        if length > best.length {
          best = DictionaryMatcher.Match(length: length, distance: position - earlier)
        }
      }
      return best
    }

    /// The match at `position`, which is more than five bytes before the end, with what lies
    /// `distance` bytes before, which may be anything.
    @inline(__always)
    func match(
      _ payload: UnsafeRawPointer, _ count: Int, at position: Int, distance: Int
    ) -> DictionaryMatcher.Match {
      guard distance > 0, distance <= Int(UInt16.max) else { return .none }
      let limit = count - DictionaryMatcher.literalsAtEnd - position
      let place = position - distance
      guard let earlier = bytes(at: place, of: payload) else { return .none }
      let length = DictionaryMatcher.sharedByteCount(
        payload + position, earlier, limit: place >= 0 ? limit : min(limit, -place))
      return length < DictionaryMatcher.matchByteCountMinimum
        ? .none : DictionaryMatcher.Match(length: length, distance: distance)
    }

    /// Whether the byte before `position`, which is not the first, is the one that lies `distance`
    /// bytes before it: then a match can begin there, too.
    @inline(__always)
    func matchesBefore(_ payload: UnsafeRawPointer, _ position: Int, distance: Int) -> Bool {
      let place = position - 1 - distance
      guard let earlier = bytes(at: place, of: payload) else { return false }
      return earlier.load(as: UInt8.self) == (payload + (position - 1)).load(as: UInt8.self)
    }

    /// What lies at a place of the payload or, below 0, of the dictionary before it; nothing before
    /// that.
    @inline(__always)
    private func bytes(at place: Int, of payload: UnsafeRawPointer) -> UnsafeRawPointer? {
      if place >= 0 { return payload + place }
      let place = place + byteCount
      return place >= 0 ? dictionary + place : nil
    }

    @inline(__always)
    private func look(
      _ source: UnsafeRawPointer, _ limit: Int, in table: PlaceTable.Lent, _ hash: UInt64,
      _ position: Int, _ best: inout DictionaryMatcher.Match
    ) {
      var candidates = table.candidates(hash)
      while let place = candidates.next() {
        let available = min(limit, byteCount - place)
        let length = DictionaryMatcher.sharedByteCount(source, dictionary + place, limit: available)
        let distance = position + byteCount - place
        if length > best.length, distance <= Int(UInt16.max) {
          best = DictionaryMatcher.Match(length: length, distance: distance)
        }
      }
    }
  }
}
