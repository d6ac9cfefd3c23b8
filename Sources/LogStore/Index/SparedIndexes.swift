/// Which indexes merges leave out, because no run was made of them; they go on answering as they
/// are.
struct SparedIndexes {
  /// The numbers of files with keys that no run takes. What else comes changes nothing of that.
  private var crowded: Set<UInt32> = []
  /// The numbers of files of which a run would be mostly empty. With more keys of the same
  /// collections it is not.
  private var sparse: Set<UInt32> = []
  /// How many keys the sparse ones must have before they are tried again.
  private var retryKeyCount: UInt64 = 0

  /// How many times the keys of the last try are worth another: a store that stays sparse is read
  /// in vain a few times only while it grows.
  private static let growth: UInt64 = 4

  /// The numbers of the files that are left out.
  var numbers: Set<UInt32> { crowded.union(sparse) }

  mutating func add(crowded numbers: Set<UInt32>) { crowded.formUnion(numbers) }

  /// `merge` was refused for those.
  mutating func add(sparse numbers: Set<UInt32>, of merge: IndexMerge) {
    sparse.formUnion(numbers)
    retryKeyCount = max(retryKeyCount, Self.grown(merge.keyCount))
  }

  /// Has all that are sparse tried again with the next merge.
  mutating func forgetSparse() {
    sparse = []
    retryKeyCount = 0
  }

  /// Has the sparse ones of `sources`, which are all there are, tried again where they have several
  /// times the keys by now.
  mutating func forgetSparse(ifGrownIn sources: [SealedIndex.Source]) {
    guard !sparse.isEmpty else { return }
    var keyCount: UInt64 = 0
    for source in sources where sparse.contains(source.fileNumber) { keyCount &+= source.keyCount }
    guard keyCount >= retryKeyCount else { return }
    sparse = []
    retryKeyCount = Self.grown(keyCount)
  }

  /// `merge` became a run: where nothing is sparse any more, and it has what was, what comes next
  /// is measured by itself.
  mutating func noteSuccess(of merge: IndexMerge) {
    guard sparse.isEmpty, Self.grown(merge.keyCount) >= retryKeyCount else { return }
    retryKeyCount = 0
  }

  private static func grown(_ keyCount: UInt64) -> UInt64 {
    let (product, overflow) = keyCount.multipliedReportingOverflow(by: growth)
    return overflow ? .max : product
  }
}
