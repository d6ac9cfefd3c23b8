internal import BinaryCoding

/// Walks a run in key order, either way; holds one decoded page at a time.
final class RunCursor {
  private let run: IndexRun
  private let bounds: WalkBounds
  private var page: Int
  /// The bytes of the decoded page's keys.
  private var keyBytes = ByteWriter(capacity: 4 << 10)
  private let keys = UnsafeMutablePointer<IndexKey>.allocate(capacity: RunPage.keyCountMaximum)
  private let values = UnsafeMutablePointer<IndexValue>.allocate(
    capacity: RunPage.keyCountMaximum)
  /// The keys of the current page that are left, valid until the cursor leaves it; nothing at the
  /// end.
  private(set) var window: IndexWindow?
  private var isLast = false

  /// Stands on the first key within `bounds`.
  init(_ run: IndexRun, bounds: WalkBounds) throws(RunDamage) {
    self.run = run
    self.bounds = bounds
    page = 0
    try seek(to: bounds.start)
  }

  /// Stands on the first key not below `start`.
  convenience init(_ run: IndexRun, from start: IndexKey?) throws(RunDamage) {
    try self.init(run, bounds: WalkBounds(lower: start))
  }

  deinit {
    keys.deallocate()
    values.deallocate()
  }

  /// The key and value the cursor stands on, valid until it moves; nothing at the end.
  var current: (key: IndexKey, value: IndexValue)? {
    window.map { ($0.key.pointee, $0.value.pointee) }
  }

  func advance() throws(RunDamage) {
    if window?.advance() == false { try advanceWindow() }
  }

  /// Moves to the first key behind the cut at `start`: in ascending order the first that is not
  /// below it, in descending order the last that is.
  func seek(to start: IndexKey?) throws(RunDamage) {
    let last = run.directory.pageCount - 1
    page = start.map { run.directory.firstPage(from: $0) } ?? (isAscending ? 0 : last)
    window = nil
    isLast = last < 0
    if !isLast { try load(from: start) }
  }

  /// Moves to the first key of the next page that has any.
  func advanceWindow() throws(RunDamage) {
    window = nil
    while !isLast, window == nil {
      page += isAscending ? 1 : -1
      guard (0..<run.directory.pageCount).contains(page) else { return }
      try loadPage(from: nil)
    }
  }

  private var isAscending: Bool { bounds.order == .ascending }

  private func load(from start: IndexKey?) throws(RunDamage) {
    try loadPage(from: start)
    if window == nil { try advanceWindow() }
  }

  private func loadPage(from start: IndexKey?) throws(RunDamage) {
    let bytes = try run.page(at: page)
    // A page that was read from a file lives no longer than its owner.
    defer { withExtendedLifetime(bytes) {} }
    let count: Int
    do throws(BinaryDecodingError) {
      count = try decode(RunPage(bytes.buffer))
    } catch { throw .damaged("the footer's page \(page): \(error)") }
    (window, isLast) = bounds.window(keys, values, count: count, from: start)
  }

  private func decode(_ page: RunPage) throws(BinaryDecodingError) -> Int {
    guard let collection = CollectionIdentifier(exactly: UInt64(page.collection)) else {
      throw .invalidValue(offset: 4, reason: "collection above the limit")
    }
    keyBytes.removeAll()
    for position in 0..<page.count {
      let fields = try page.fields(at: position)
      let length = page.prefix.count + fields.suffix.count
      guard (1...LogLimits.keyByteCount).contains(length) else {
        throw .invalidValue(offset: 0, reason: "a key has \(length) bytes")
      }
      keyBytes.writeBytes(page.prefix)
      keyBytes.writeBytes(fields.suffix)
      let key = UnsafeRawBufferPointer(
        rebasing: keyBytes.bytes[(keyBytes.count - length)...])
      (keys + position).initialize(to: IndexKey(collection, key))
      (values + position).initialize(to: try page.value(fields))
    }
    // The bytes may have moved while they grew.
    var next = UnsafeRawPointer(keyBytes.bytes.baseAddress)
    for position in 0..<page.count {
      guard let start = next else { break }
      keys[position].bytes = start
      next = start + Int(keys[position].length)
    }
    return page.count
  }
}
