internal import LogStore

/// Indexes that became complete with commits which readers do not see yet: what they see may lack
/// their last keys.
///
/// A commit counts for writers when it is appended, for readers when it is durable, if it must be.
struct UnseenIndexes {
  private var count: UInt64 = 0
  private var completed: [(ticket: UInt64, indexes: Set<CollectionIdentifier>)] = []

  /// Takes over that a commit was appended which makes `after` of `before`; gives the ticket for
  /// ``show(_:)``.
  mutating func note(_ before: [StoredIndex], _ after: [StoredIndex]) -> UInt64 {
    count += 1
    let known = Self.ready(before)
    let added = Self.ready(after).subtracting(known)
    if !added.isEmpty { completed.append((count, added)) }
    return count
  }

  /// Takes over that readers see the commit with `ticket`, and all before it.
  mutating func show(_ ticket: UInt64) { completed.removeAll { $0.ticket <= ticket } }

  /// The catalog for readers: what they may not ask yet is being built.
  func hidden(in catalog: SchemaCatalog) -> SchemaCatalog {
    if completed.isEmpty { return catalog }
    var catalog = catalog
    for position in catalog.indexes.indices
    where completed.contains(where: { $0.indexes.contains(catalog.indexes[position].collection) }) {
      if catalog.indexes[position].phase == .ready { catalog.indexes[position].phase = .building }
    }
    return catalog
  }

  private static func ready(_ indexes: [StoredIndex]) -> Set<CollectionIdentifier> {
    Set(indexes.filter { $0.phase == .ready }.map(\.collection))
  }
}
