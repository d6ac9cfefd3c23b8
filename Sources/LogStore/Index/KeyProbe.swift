internal import BinaryCoding

/// What looking up a key ahead needs of it: its hash, and what tells runs apart.
struct KeyProbe {
  let hash: UInt64
  let head: KeyHeads.Head

  init(_ key: IndexKey) {
    hash = RunFilter.hash(CollectionIdentifier(key.collection), key.buffer)
    head = (key.collection, key.head)
  }
}
