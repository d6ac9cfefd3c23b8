internal import LogStore
internal import SchemaRegistry

/// Walks the objects that a look-up found: first those that match, then the failures of those that
/// cannot be upgraded, of which nobody knows whether they match.
final class MatchWalk {
  private let lookup: MemberLookup
  private let selection: MemberSelection
  /// A range of an index, and that of its objects without a known value.
  private var cursors: (matches: RecordCursor, unknown: RecordCursor)?
  /// Without an index: keys that were found by reading all objects, the next one last.
  private var matches: [[UInt8]] = []
  private var unknown: [[UInt8]] = []

  init(
    _ lookup: MemberLookup, _ selection: MemberSelection, index: StoredIndex?, order: KeyOrder
  ) throws(StoreError) {
    self.lookup = lookup
    self.selection = selection
    guard let index else {
      let found = try lookup.scan(selection)
      matches = order == .ascending ? found.matches.reversed() : found.matches
      unknown = found.failing.reversed()
      return
    }
    let (source, range) = (lookup.source, selection.keyRange)
    cursors = try StoreError.log { () throws(LogError) in
      (
        try source.records(in: index.collection, keys: range, order: order),
        try source.records(
          in: index.collection, keys: .prefix(IndexedValueCoding.unknown), order: .ascending)
      )
    }
  }

  /// The next object. Throws for one that cannot be upgraded; the next call goes on behind it.
  func next() throws(StoreError) -> MemberLookup.Found? {
    while let key = try nextKey(ofMatches: true) {
      if let found = try lookup.object(atIndexKey: key, selecting: selection) { return found }
    }
    while let key = try nextKey(ofMatches: false) {
      // It throws what a walk over all objects would throw, or gives what their policy gives.
      let found = try lookup.failingObject(Array(key.dropFirst()), selecting: selection)
      if let found { return found }
    }
    return nil
  }

  private func nextKey(ofMatches: Bool) throws(StoreError) -> [UInt8]? {
    if let cursors {
      let cursor = ofMatches ? cursors.matches : cursors.unknown
      return try StoreError.log { () throws(LogError) in try cursor.next()?.key }
    }
    return ofMatches ? matches.popLast() : unknown.popLast()
  }
}
