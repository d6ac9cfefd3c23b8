internal import BinaryCoding
internal import Synchronization

/// Where in a run a key may lie, as far as its first eight bytes tell.
///
/// Pages begin with ascending keys, so those bytes name the page; and how far they are from the
/// page's first key towards the next page's says where in the page the key lies: exactly where keys
/// count up, nearly where they are spread evenly. That is interpolation search (W. W. Peterson,
/// "Addressing for Random-Access Storage", 1957).
///
/// A guess, for asking memory for a page while a filter or locator is still awaited, or in place of
/// them where keys lie evenly. Made from the directory alone, for one collection; how a page is
/// packed is noted by those who read it. Safe on any thread.
final class InterpolatedPlaces: Sendable {
  /// The page that has a key, if the run does.
  struct Guess {
    /// By which the table knows the page.
    fileprivate let row: Int
    /// Its number.
    let page: Int
    /// Where it lies, behind the run's header.
    let start: Int
    /// Where in the page the key is; nothing while nobody read the page, or where it is not packed.
    let place: Place?
    /// Whether somebody noted how the page is packed, or that it is not.
    let isNoted: Bool
  }

  /// Where in a page a key is.
  struct Place {
    let position: Int
    let offset: Int
    /// Whether the keys of the page lie as evenly as if they were counted.
    let isEven: Bool
  }

  /// What guesses are made for: the collection of the page in the middle, as most runs have nearly
  /// all pages of one; no collection when nothing can be guessed.
  private let collection: UInt32
  private let count: Int
  private let firstPage: Int
  /// The heads of the pages' first keys, and of the key behind the last page.
  nonisolated(unsafe) private let heads: UnsafeMutablePointer<UInt64>
  nonisolated(unsafe) private let starts: UnsafeMutablePointer<UInt32>
  /// Where a page's first key lies, how many bytes each takes, how many there are, and whether
  /// evenly: 16, 16, 31 bits and one; 0 of a page that nobody read, and no keys in one that is not
  /// packed.
  nonisolated(unsafe) private let shapes: UnsafeMutablePointer<Atomic<UInt64>>

  /// Of the pages that `directory` lists for the collection of the page in the middle; nothing is
  /// guessed where heads do not tell pages apart. Costs some nanoseconds a page.
  init(_ directory: RunDirectory) {
    let rows = Rows(directory) ?? Rows()
    collection = rows.collection
    count = rows.starts.count
    firstPage = rows.firstPage
    heads = .allocate(capacity: rows.heads.count)
    heads.initialize(from: rows.heads, count: rows.heads.count)
    starts = .allocate(capacity: count)
    starts.initialize(from: rows.starts, count: count)
    shapes = .allocate(capacity: count)
    for row in 0..<count { (shapes + row).initialize(to: Atomic(0)) }
  }

  /// What a directory says.
  private struct Rows {
    private(set) var collection = UInt32.max
    private(set) var firstPage = 0
    private(set) var heads: [UInt64] = []
    private(set) var starts: [UInt32] = []

    /// None.
    init() {}

    /// Nothing where they would be of no use, or the directory is damaged, which others report.
    init?(_ directory: RunDirectory) {
      guard let bounds = directory.bounds else { return nil }
      var equalCount = 0
      heads.reserveCapacity(directory.pageCount + 1)
      starts.reserveCapacity(directory.pageCount)
      do throws(BinaryDecodingError) {
        collection = try directory.key(ofPage: directory.pageCount / 2).collection
        for page in 0..<directory.pageCount {
          let key = try directory.key(ofPage: page)
          guard key.collection == collection else { continue }
          let last = heads.last ?? 0
          if heads.isEmpty { firstPage = page }
          equalCount += !heads.isEmpty && key.head <= last ? 1 : 0
          heads.append(max(key.head, last))
          starts.append(UInt32(truncatingIfNeeded: try directory.place(ofPage: page).lowerBound))
        }
      } catch { return nil }
      guard let last = heads.last, equalCount <= starts.count / 4 else { return nil }
      let end = bounds.last.collection == collection ? max(bounds.last.head, last) : last
      heads.append(end == .max ? end : end + 1)
    }
  }

  deinit {
    heads.deallocate()
    starts.deallocate()
    shapes.deinitialize(count: count)
    shapes.deallocate()
  }

  /// Where `key` lies, if the run has it; nothing of other collections.
  @inline(__always)
  func guess(_ key: IndexKey) -> Guess? {
    guard key.collection == collection else { return nil }
    let row = row(of: key.head)
    let shape = shapes[row].load(ordering: .relaxed)
    return Guess(
      row: row, page: firstPage + row, start: Int(starts[row]),
      place: shape == 0 ? nil : place(of: key.head, in: row, shape), isNoted: shape != 0)
  }

  /// Where a key that begins with `head` is on the page of a row, if there.
  @inline(__always)
  private func place(of head: UInt64, in row: Int, _ shape: UInt64) -> Place? {
    let count = Int(shape >> 32 & 0x7FFF_FFFF)
    guard count > 0, heads[row] <= head, head < heads[row + 1] else { return nil }
    let distance = Double(head - heads[row]) / Double(heads[row + 1] - heads[row])
    let position = min(Int((distance * Double(count)).rounded()), count - 1)
    return Place(
      position: position,
      offset: Int(shape & 0xFFFF) + position * Int(shape >> 16 & 0xFFFF),
      isEven: shape >> 63 == 1)
  }

  /// The last page whose first key does not begin with more than `head`, or the first.
  @inline(__always)
  private func row(of head: UInt64) -> Int {
    BranchlessSearch.last(of: count) { heads[$0] <= head }
  }

  /// Notes how the page of a guess is packed: its first key lies at `first`, each of its `count`
  /// keys takes `stride` bytes, and `head` says with what the key at a position begins.
  func note(
    first: Int, stride: Int, count: Int, of guess: Guess, head: (Int) -> UInt64
  ) {
    guard first < 1 << 16, stride < 1 << 16, count <= 1 << 16 else { return }
    let shape = UInt64(count) << 32 | UInt64(stride) << 16 | UInt64(first)
    // Where some lie evenly all mostly do; a wrong guess costs time only.
    let step = (count + Self.askedCount - 1) / Self.askedCount
    let isEven = Swift.stride(from: 0, to: count, by: step).allSatisfy { position in
      place(of: head(position), in: guess.row, shape)?.position == position
    }
    shapes[guess.row].store(shape | (isEven ? 1 << 63 : 0), ordering: .relaxed)
  }

  /// Notes that the page of a guess is not packed.
  func noteUnpacked(_ guess: Guess) {
    shapes[guess.row].store(Self.unpacked, ordering: .relaxed)
  }

  /// A shape that says of no key where it is.
  private static let unpacked: UInt64 = 1

  /// So many keys of a page are asked whether they lie evenly, at most.
  private static let askedCount = 8
}
