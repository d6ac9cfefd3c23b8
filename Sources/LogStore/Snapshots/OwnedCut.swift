internal import BinaryCoding

/// A cut between keys, with bytes of its own: before a key, behind one, or behind a collection.
struct OwnedCut {
  private let collection: UInt32
  private let bytes: [UInt8]

  /// The cut before `key`; that of the first key behind a collection is the cut behind that.
  init(_ key: IndexKey) {
    collection = key.collection
    bytes = [UInt8](key.buffer)
  }

  /// The cut behind `key`: it with a zero byte added, which nothing sorts between.
  init(behind key: IndexKey) {
    collection = key.collection
    bytes = [UInt8](key.buffer) + [0]
  }

  /// The first key behind the cut that there may be, borrowed.
  func withKey<Result>(_ body: (IndexKey) -> Result) -> Result {
    bytes.withBytes { bytes in
      var key = IndexKey(.catalog, bytes)
      // Not checked: the first cut behind the last collection belongs to none.
      key.collection = collection
      return body(key)
    }
  }

  static func <= (left: OwnedCut, right: OwnedCut) -> Bool {
    left.withKey { left in right.withKey { IndexKey.compare(left, $0) <= 0 } }
  }
}
