internal import LogStore
internal import SchemaRegistry

/// Walks the objects that a look-up found: first those that match, then the failures of those that
/// cannot be upgraded and match, or of which nobody knows whether they do, and of those that cannot
/// be read.
///
/// What an index holds depends on who made it: a tool without the code of a step, or an older app,
/// knows no value where this app does, and the other way round. So objects without a known value
/// are judged first, and take their places among the others. An index also knows values of objects
/// that this app cannot upgrade, so who reads all objects finds these out, too.
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
  /// Damage that was met while objects were judged, to be told last, the first one at the end.
  private var damage: [LogError]
  /// Whether what a policy gives in place of an object counts, of which nobody knows whether it
  /// matches. Not for who deletes: it is not what is stored.
  var givesMadeUpMatches = true
  /// The key of an object that is left out.
  private let leftOut: [UInt8]?
  private var isPastMatches = false
  private var hasBegun = false

  /// The object `leftOut` is not even read where an index tells its key.
  init(
    _ lookup: MemberLookup, _ selection: MemberSelection, index: StoredIndex?, order: KeyOrder,
    without leftOut: [UInt8]? = nil
  ) throws(StoreError) {
    self.leftOut = leftOut
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
    damage = judged.damage.reversed()
  }

  private static func precedes(_ left: [UInt8], _ right: [UInt8], in order: KeyOrder) -> Bool {
    order == .ascending
      ? left.lexicographicallyPrecedes(right) : right.lexicographicallyPrecedes(left)
  }

  /// The member by which objects were looked up.
  var member: String { lookup.shape.members[lookup.member].name }

  /// Whether what is given in place of an object is selected.
  func selects(_ object: DynamicObject) -> Bool { selection.contains(object[member] ?? .null) }

  /// Whether an object that cannot be read because of `error` is passed over.
  func skips(_ error: StoreError) -> Bool { lookup.reader.skips(error, lookup.shape) }

  /// Passes over all that come up to where an object stands, or would stand, that was found before.
  ///
  /// Where `isSame` says that what is stored now is that object, it stands where the stored value
  /// stands: the object need not have that value, but what a policy or its model made of it.
  /// - Precondition: nothing was given yet.
  func start(
    after key: [UInt8], holding payload: [UInt8], in objectShape: TypeShape? = nil,
    isSame: (MemberLookup.Found) -> Bool = { _ in false }
  ) throws(StoreError) {
    guard !hasBegun else {
      fatalError("a look-up must start behind an object before it gives the first one")
    }
    var stored: MemberLookup.Found?
    do throws(StoreError) { stored = try lookup.object(key) } catch .log(let error) {
      guard error.damage != nil else { throw .log(error) }
    } catch { return try startAmongFailures(after: key) }
    let shape = objectShape ?? lookup.shape
    let given = (shape, try lookup.reader.decodeKey(key, shape), payload)
    let found = if let stored, isSame(stored) { stored } else { given }
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
      try pass(match)
    }
  }

  /// Passes over a match, to know whether it fails; what is damaged lies before the place.
  private func pass(_ match: [UInt8]) throws(StoreError) {
    do throws(StoreError) { _ = try self.match(match) } catch .log(let error) {
      guard error.damage != nil else { throw .log(error) }
    }
  }

  /// Passes over all matches, to know which of them fail, and over failures up to one of them.
  private func startAmongFailures(after key: [UInt8]) throws(StoreError) {
    while let match = try nextMatch() { try pass(match) }
    failing.removeAll { !key.lexicographicallyPrecedes($0) }
  }

  /// The number of objects that are left.
  func count() throws(StoreError) -> Int {
    var count = 0
    while try next() != nil { count += 1 }
    return count
  }

  /// The next object. Throws for one that cannot be upgraded, or read; the next call goes on behind
  /// it.
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
      let found = try lookup.failingObject(
        key, selecting: selection, onlyKnown: !givesMadeUpMatches)
      if let found { return found }
    }
    if let error = damage.popLast() { throw .log(error) }
    return nil
  }

  /// The next object whose value is known and selected, also one that cannot be upgraded, and that
  /// value. For who asks for values, not for objects: nothing is told of those without one.
  func nextKnown() throws(StoreError) -> (key: [UInt8], value: Value)? {
    hasBegun = true
    while let indexKey = try nextMatch() {
      let (bytes, key) = try lookup.parts(ofIndexKey: indexKey)
      if key == leftOut { continue }
      if let value = try lookup.knownValue(ofObjectAt: key),
        lookup.isIndexed(value, as: bytes, selecting: selection)
      {
        return (key, value)
      }
    }
    return nil
  }

  /// The next key of the index, in its parts; its object is not read, and need not be there.
  func nextHint() throws(StoreError) -> (value: ArraySlice<UInt8>, key: [UInt8])? {
    hasBegun = true
    guard let indexKey = try nextMatch() else { return nil }
    return try lookup.parts(ofIndexKey: indexKey)
  }

  /// The object of a key of an index. One that this app cannot upgrade, whoever could, is a failure
  /// as others, unless it is known to hold something else by now.
  private func match(_ indexKey: [UInt8]) throws(StoreError) -> MemberLookup.Found? {
    let (value, key) = try lookup.parts(ofIndexKey: indexKey)
    if key == leftOut { return nil }
    do throws(StoreError) {
      return try lookup.object(key, indexedAs: value, selecting: selection)
    } catch .log(let error) {
      throw .log(error)
    } catch {
      guard !isPastMatches else { throw error }
      let known = try lookup.knownValue(ofObjectAt: key)
      if let known, !lookup.isIndexed(known, as: value, selecting: selection) { return nil }
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
