internal import LogStore
internal import SchemaRegistry

/// Walks the objects that a look-up found: first those that match, then the failures of those that
/// cannot be upgraded, of which nobody knows whether they match.
///
/// What an index holds depends on who made it: a tool without the code of a step, or an older app,
/// knows no value where this app does, and the other way round. So objects without a known value
/// are judged first, and take their places among the others.
final class MatchWalk {
  private let lookup: MemberLookup
  private let selection: MemberSelection
  private let order: KeyOrder
  /// A range of an index; nothing where all objects were read.
  private let indexed: RecordCursor?
  /// A key of the range that others come before.
  private var held: [UInt8]?
  /// Keys that an index would hold and need not, the next one last.
  private var matches: [[UInt8]]
  /// Keys of objects that cannot be upgraded; once there are no more matches the next one last.
  private var failing: [[UInt8]]
  private var isPastMatches = false
  private var hasBegun = false

  init(
    _ lookup: MemberLookup, _ selection: MemberSelection, index: StoredIndex?, order: KeyOrder
  ) throws(StoreError) {
    self.lookup = lookup
    self.selection = selection
    self.order = order
    let judged: MemberLookup.Judged
    if let index {
      judged = try lookup.scanUnknown(of: index, selection)
      indexed = try StoreError.log { () throws(LogError) in
        try lookup.source.records(in: index.collection, keys: selection.keyRange, order: order)
      }
    } else {
      judged = try lookup.scan(selection)
      indexed = nil
    }
    matches = judged.matches.sorted { Self.precedes($1, $0, in: order) }
    failing = judged.failing
  }

  private static func precedes(_ left: [UInt8], _ right: [UInt8], in order: KeyOrder) -> Bool {
    order == .ascending
      ? left.lexicographicallyPrecedes(right) : right.lexicographicallyPrecedes(left)
  }

  /// The member by which objects were looked up.
  var member: String { lookup.shape.members[lookup.member].name }

  /// Whether an object that cannot be read because of `error` is passed over.
  func skips(_ error: StoreError) -> Bool { lookup.reader.skips(error, lookup.shape) }

  /// Passes over all that come up to where an object stands, or would stand, that was found before.
  ///
  /// - Precondition: nothing was given yet.
  func start(
    after key: [UInt8], holding payload: [UInt8], in objectShape: TypeShape? = nil
  ) throws(StoreError) {
    precondition(!hasBegun, "a look-up must start behind an object before it gives the first one")
    let shape = objectShape ?? lookup.shape
    if try isFailing(key) { return try startAmongFailures(after: key) }
    let found = (shape, try lookup.reader.decodeKey(key, shape), payload)
    let place = selection.place(of: try lookup.value(found)) + key
    if lookup.reader.standsIn(for: lookup.shape) { return try pass(through: place) }
    matches.removeAll { !Self.precedes(place, $0, in: order) }
    guard let indexed else { return }
    try StoreError.log { () throws(LogError) in
      try indexed.seek(to: order == .ascending ? place + [0] : place)
    }
    guard order == .descending else { return }
    let next = try nextIndexed()
    if next != place { held = next }
  }

  /// Passes over matches up to `place` one by one: for those that fail something else is given,
  /// once all others were.
  private func pass(through place: [UInt8]) throws(StoreError) {
    while let match = try nextMatch() {
      if Self.precedes(place, match, in: order) { return matches.append(match) }
      _ = try self.match(match)
    }
  }

  /// Whether a step fails for the object with that key, so that it comes behind all matches.
  private func isFailing(_ key: [UInt8]) throws(StoreError) -> Bool {
    do throws(StoreError) {
      _ = try lookup.object(key)
      return false
    } catch .log(let error) { throw .log(error) } catch { return true }
  }

  /// Passes over all matches, to know which of them fail, and over failures up to one of them.
  private func startAmongFailures(after key: [UInt8]) throws(StoreError) {
    while let match = try nextMatch() { _ = try self.match(match) }
    failing.removeAll { !key.lexicographicallyPrecedes($0) }
  }

  /// The number of objects that are left.
  func count() throws(StoreError) -> Int {
    var count = 0
    while try next() != nil { count += 1 }
    return count
  }

  /// The next object. Throws for one that cannot be upgraded; the next call goes on behind it.
  func next() throws(StoreError) -> MemberLookup.Found? {
    hasBegun = true
    while let key = try nextMatch() {
      if let found = try match(key) { return found }
    }
    if !isPastMatches {
      isPastMatches = true
      failing.sort { Self.precedes($1, $0, in: .ascending) }
    }
    while let key = failing.popLast() {
      // A match that failed may have been among the unknown.
      if failing.last == key { continue }
      // It throws what a walk over all objects would throw, or gives what their policy gives.
      let found = try lookup.failingObject(key, selecting: selection)
      if let found { return found }
    }
    return nil
  }

  /// The object of a key of an index. One that this app cannot upgrade, whoever could, is a failure
  /// as others.
  private func match(_ indexKey: [UInt8]) throws(StoreError) -> MemberLookup.Found? {
    let (value, key) = try lookup.parts(ofIndexKey: indexKey)
    do throws(StoreError) {
      return try lookup.object(key, indexedAs: value, selecting: selection)
    } catch .log(let error) {
      throw .log(error)
    } catch {
      guard !isPastMatches else { throw error }
      failing.append(key)
      return nil
    }
  }

  private func nextMatch() throws(StoreError) -> [UInt8]? {
    let next = if let held { held } else { try nextIndexed() }
    held = nil
    guard let other = matches.last else { return next }
    if let next, Self.precedes(next, other, in: order) { return next }
    matches.removeLast()
    // A put gave the object its key, and left the one without a value.
    if next != other { held = next }
    return other
  }

  private func nextIndexed() throws(StoreError) -> [UInt8]? {
    guard let indexed else { return nil }
    return try StoreError.log { () throws(LogError) in try indexed.next()?.key }
  }
}
