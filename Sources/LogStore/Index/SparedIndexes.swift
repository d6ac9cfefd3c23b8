/// Which indexes merges leave out, because no run was made of them; they go on answering as they
/// are.
struct SparedIndexes {
  /// The numbers of files with keys that no run takes. What else comes changes nothing of that.
  private var crowded: Set<UInt32> = []
  /// The numbers of files of which a run would be mostly empty. With more keys of the same
  /// collections it is not.
  private var sparse: Set<UInt32> = []
  /// The keys of each index that the largest try in vain left out, by the number of its file, while
  /// that is there: what is gone says nothing of what comes, and the others of a try are merged
  /// without those, and gone soon.
  private var tried: [UInt32: UInt64] = [:]

  /// How many times the keys of the last try are worth another: a store that stays sparse is read
  /// in vain a few times only while it grows.
  private static let growth: UInt64 = 4

  /// The numbers of the files that are left out.
  var numbers: Set<UInt32> { crowded.union(sparse) }

  mutating func add(crowded numbers: Set<UInt32>) { crowded.formUnion(numbers) }

  /// A merge of `sources` was refused for those.
  mutating func add(sparse numbers: Set<UInt32>, of sources: [SealedIndex.Source]) {
    sparse.formUnion(numbers)
    let keyCounts = Self.keyCounts(of: sources.filter { numbers.contains($0.fileNumber) })
    // Of tries that are as large the last one counts: its files are there for longest.
    if Self.sum(keyCounts) >= Self.sum(tried) { tried = keyCounts }
  }

  /// Has all that are sparse tried again with the next merge.
  mutating func forgetSparse() {
    sparse = []
    tried = [:]
  }

  /// Has the sparse ones of `sources`, which are all there are, tried again where they have several
  /// times the keys by now that are left of the last try.
  mutating func forgetSparse(ifGrownIn sources: [SealedIndex.Source]) {
    if sparse.isEmpty, tried.isEmpty { return }
    let numbers = Set(sources.map(\.fileNumber))
    sparse.formIntersection(numbers)
    tried = tried.filter { numbers.contains($0.key) }
    guard !sparse.isEmpty else { return }
    let left = Self.keyCounts(of: sources.filter { sparse.contains($0.fileNumber) })
    guard Self.sum(left) >= Self.grown(Self.sum(tried)) else { return }
    sparse = []
    tried = left
  }

  /// `sources` became a run: where nothing is sparse any more, and it has what was, what comes next
  /// is measured by itself.
  mutating func noteSuccess(of sources: [SealedIndex.Source]) {
    guard sparse.isEmpty, Self.sum(Self.keyCounts(of: sources)) >= Self.sum(tried) else { return }
    tried = [:]
  }

  /// One that says it has none counts as one: nothing would be several times nothing, and the same
  /// be tried for ever.
  private static func keyCounts(of sources: [SealedIndex.Source]) -> [UInt32: UInt64] {
    Dictionary(sources.map { ($0.fileNumber, max($0.keyCount, 1)) }, uniquingKeysWith: &+)
  }

  private static func sum(_ keyCounts: [UInt32: UInt64]) -> UInt64 {
    keyCounts.values.reduce(0, &+)
  }

  private static func grown(_ keyCount: UInt64) -> UInt64 {
    let (product, overflow) = keyCount.multipliedReportingOverflow(by: growth)
    return overflow ? .max : product
  }
}
