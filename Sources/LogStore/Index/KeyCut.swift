internal import BinaryCoding

/// A place between two keys of a store, kept: right before `key` of `collection`.
struct KeyCut: Hashable, Comparable, Sendable {
  var collection: UInt32
  /// 1 to 4096 bytes.
  var key: [UInt8]

  init(collection: UInt32, key: [UInt8]) {
    self.collection = collection
    self.key = key
  }

  /// The cut before `key`, which is copied.
  init(before key: IndexKey) { self.init(collection: key.collection, key: [UInt8](key.buffer)) }

  /// The cut behind `key`: before it with a zero byte added, as nothing sorts between them.
  init(behind key: IndexKey) {
    self.init(collection: key.collection, key: [UInt8](key.buffer) + [0])
  }

  /// The cut before all keys that begin so.
  init(before head: KeyHeads.Head) {
    let bytes = withUnsafeBytes(of: head.head.bigEndian) { [UInt8]($0) }
    // Those that are shorter than a head end where its zeros begin; none is empty.
    let count = max(1, 8 - head.head.trailingZeroBitCount / 8)
    self.init(collection: head.collection, key: [UInt8](bytes.prefix(count)))
  }

  /// How the key begins that it is before.
  var head: KeyHeads.Head { withIndexKey { ($0.collection, $0.head) } }

  static func < (left: KeyCut, right: KeyCut) -> Bool {
    left.withIndexKey { left in right.withIndexKey { IndexKey.compare(left, $0) < 0 } }
  }

  /// Lends the key that the cut is before.
  func withIndexKey<Result, Failure: Error>(
    _ body: (IndexKey) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try key.withBytes { (bytes: UnsafeRawBufferPointer) throws(Failure) in
      // Not checked: a cut that was read from disk may name any, and is compared only.
      var key = IndexKey(.catalog, bytes)
      key.collection = collection
      return try body(key)
    }
  }
}
