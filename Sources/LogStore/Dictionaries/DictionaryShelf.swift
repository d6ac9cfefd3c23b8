internal import BinaryCoding
internal import FileIO
internal import Synchronization

/// The dictionaries of a store, by identifier; found without a lock.
///
/// They are read from the segments that hold them when the first is needed. One that has been found
/// stays as long as the shelf, so that its bytes can be lent. Safe on any thread.
final class DictionaryShelf: Sendable {
  struct State {
    /// All tables there have been: readers may still be looking at an older one.
    var tables: [DictionaryTable] = []
    /// Segments whose dictionaries were not read yet.
    var unread: [SegmentDescriptor] = []
    /// Others, of which the disk refused something: read again by all but commits.
    var refused: [SegmentDescriptor] = []
    var copies = SmallTable<DictionaryIdentifier, Copies>()
    /// Those that a compaction leaves out because nothing needs them: not used any more. And how
    /// often one was about to leave out a copy.
    var retirements: [DictionaryIdentifier: Int] = [:]
    /// The highest identifier that was given away.
    var taken: UInt32 = 0
    /// Whether other bytes were found for a dictionary that was known.
    var isContradicted = false

    /// What is compressed against a dictionary must not rest on one copy.
    func mayBeUsed(_ dictionary: CompressionDictionary) -> Bool {
      copies[dictionary.identifier]?.intact == 0b11
        && retirements[dictionary.identifier] == nil
    }
  }

  /// What is being read: taken in together.
  private struct Reading {
    var found: [FoundDictionary] = []
    /// The segments that were read.
    var holders: [SegmentDescriptor] = []
    /// Those of them of which the disk refused something.
    var refused: Set<SegmentIdentifier> = []
  }

  private let directory: any Directory
  private let store: StoreIdentifier
  private let observer: (any StoreObserver)?
  let state = Lock(State())
  /// The address of the last table, or 0; it is kept in `state`.
  private let table = Atomic<UInt>(0)
  private let hasUnread = Atomic<Bool>(false)
  let hasRetired = Atomic<Bool>(false)

  init(_ store: StoreIdentifier, in directory: any Directory, observer: (any StoreObserver)?) {
    self.store = store
    self.directory = directory
    self.observer = observer
  }

  /// Lets the dictionaries of those of these segments that were not read yet be read when one is
  /// needed that is not known; others that were not read belong to a state that came to nothing.
  func replaceUnread(
    _ holders: [SegmentDescriptor], sparingRead isKnown: (SegmentIdentifier) -> Bool
  ) {
    state.withLock { state in
      // Of a segment that is known the disk may have refused them.
      let left = (state.unread + state.refused).map(\.identifier).sorted()
      state.unread = holders.filter { left.hasInOrder($0.identifier) || !isKnown($0.identifier) }
      state.refused = []
      hasUnread.store(!state.unread.isEmpty, ordering: .releasing)
    }
  }

  /// Whether nothing is compressed against a dictionary, and none can be found.
  var isEmpty: Bool {
    table.load(ordering: .acquiring) == 0 && !hasUnread.load(ordering: .acquiring)
  }

  // MARK: Looking up

  /// What the payload of a record was compressed against, valid as long as the shelf; none when
  /// it needs no dictionary. `file` and `offset` say where the record is.
  ///
  /// - Throws: ``LogError/corruption(_:)`` when both copies of the dictionary are lost, or
  ///   ``LogError/fileIO(_:)``.
  @inline(__always)
  func lent(
    for header: RecordHeader, in file: @autoclosure () -> FileName, at offset: UInt32
  ) throws(LogError) -> LentDictionary {
    if let known = known(for: header) { return known }
    return try loaded(header.dictionary, in: file(), at: offset)
  }

  /// The same as far as it was read already.
  @inline(__always)
  func known(for header: RecordHeader) -> LentDictionary? {
    guard header.compression == .lz4WithDictionary else { return .empty }
    return lendTable { $0.lent(header.dictionary) } ?? nil
  }

  private func loaded(
    _ identifier: UInt32, in file: FileName, at offset: UInt32
  ) throws(LogError) -> LentDictionary {
    try load(until: identifier)
    if let known = lendTable({ $0.lent(identifier) }) ?? nil { return known }
    let identifier = DictionaryIdentifier(identifier)
    let damages = state.withLock { state in state.copies[identifier]?.damages ?? [] }
    let places = damages.map { "\($0.file) at offset \($0.offset)" }.joined(separator: ", ")
    let report = CorruptionReport(
      file: file.description, offset: UInt64(offset),
      reason: "the record was compressed against dictionary \(identifier), of which "
        + (places.isEmpty ? "the store has no copy" : "no copy verifies (\(places))"),
      lostDictionary: identifier)
    observer?.observe(.damaged(report))
    throw .corruption(report)
  }

  /// The newest dictionary of a version of which both copies are there, for payloads to come;
  /// nothing as well when they cannot be read now.
  func newest(of version: CollectionVersion) -> CompressionDictionary? {
    if hasUnread.load(ordering: .acquiring), state.withLock({ !$0.unread.isEmpty }) {
      do throws(LogError) { try load() } catch { return nil }
    }
    return lendTable { $0.newest[version] } ?? nil
  }

  /// The newest dictionary of the newest schema version before `version` that has one; nothing
  /// where `version` has one itself.
  func newest(before version: CollectionVersion) -> CompressionDictionary? {
    guard newest(of: version) == nil else { return nil }
    return lendTable { table in
      table.newest.entries.lazy.map(\.value)
        .filter {
          $0.version.collection == version.collection
            && $0.version.schemaVersion < version.schemaVersion
        }
        .max { $0.version.schemaVersion < $1.version.schemaVersion }
    } ?? nil
  }

  /// All in the log that can be read, ascending by identifier.
  func all() throws(LogError) -> [CompressionDictionary] {
    try load()
    return state.withLock { state in
      (state.tables.last?.dictionaries ?? []).filter { state.copies[$0.identifier] != nil }
    }
  }

  /// What is known of the copies of each dictionary, lost ones too.
  func copies() throws(LogError) -> SmallTable<DictionaryIdentifier, Copies> {
    try load()
    return copiesReadSoFar
  }

  /// The same of those that were read already.
  var copiesReadSoFar: SmallTable<DictionaryIdentifier, Copies> {
    state.withLock { state in state.copies }
  }

  /// Whether both copies of each are in the log, and none was taken out of use.
  func areWhole() throws(LogError) -> Bool {
    try load()
    return state.withLock { state in
      (state.tables.last?.dictionaries ?? []).allSatisfy { state.mayBeUsed($0) }
    }
  }

  @inline(__always)
  private func lendTable<Result>(_ body: (DictionaryTable) -> Result) -> Result? {
    guard let address = UnsafeRawPointer(bitPattern: table.load(ordering: .acquiring)) else {
      return nil
    }
    return Unmanaged<DictionaryTable>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
  }

  // MARK: Taking in

  /// Whether what was read contradicts what was known: the store was set back to an earlier state,
  /// and numbers of dictionaries were given again since.
  var isContradicted: Bool { state.withLock { state in state.isContradicted } }

  /// How many tables it keeps.
  var tableCount: Int { state.withLock { state in state.tables.count } }

  /// Takes in a dictionary of which `copies` are in the log.
  func insert(_ dictionary: CompressionDictionary, copies: UInt8) {
    insert([FoundDictionary(dictionary: dictionary, copies: copies)])
  }

  /// Takes in several, with one table for all: each table stays as long as the shelf.
  func insert(_ found: [FoundDictionary]) {
    if found.isEmpty { return }
    state.withLock { state in
      var rest = (state.tables.last?.dictionaries ?? [])[...]
      var all: [CompressionDictionary] = []
      var isChanged = false
      for (dictionary, copies) in Self.ascending(found).map({ ($0.dictionary, $0.copies) }) {
        while let next = rest.first, next.identifier <= dictionary.identifier {
          all.append(next)
          rest = rest.dropFirst()
        }
        let before = state.copies[dictionary.identifier]?.intact ?? 0
        state.copies.update(dictionary.identifier, from: Copies()) { $0.intact |= copies }
        if let known = all.last, known.identifier == dictionary.identifier {
          if !known.isSame(as: dictionary) { state.isContradicted = true }
          if before | copies == before { continue }
        } else {
          all.append(dictionary)
        }
        isChanged = true
      }
      if isChanged { publish(all + rest, &state) }
    }
  }

  /// By identifier; of those with one, that comes first which was found first.
  private static func ascending(_ found: [FoundDictionary]) -> [FoundDictionary] {
    found.enumerated().sorted {
      ($0.element.dictionary.identifier, $0.offset) < ($1.element.dictionary.identifier, $1.offset)
    }.map(\.element)
  }

  func publish(_ all: [CompressionDictionary], _ state: inout State) {
    let next = DictionaryTable(all, usable: state.mayBeUsed)
    state.tables.append(next)
    table.store(UInt(bitPattern: Unmanaged.passUnretained(next).toOpaque()), ordering: .releasing)
  }

  /// An identifier above `used` and all that there are; not given again.
  func takeIdentifier(above used: UInt32) throws(LogError) -> DictionaryIdentifier {
    try load()
    return try state.withLock { (state) throws(LogError) in
      let known = state.tables.last?.dictionaries.last?.identifier.rawValue ?? 0
      let highest = state.copies.entries.reduce(max(used, known, state.taken)) {
        max($0, $1.key.rawValue)
      }
      guard highest < UInt32.max else {
        throw .limitExceeded(
          name: "dictionaries", maximum: UInt64(UInt32.max), actual: UInt64(highest) + 1)
      }
      state.taken = highest + 1
      return DictionaryIdentifier(highest + 1)
    }
  }

  /// Reads the dictionaries of the segments that were not read yet. What is damaged, or the disk
  /// refuses, is noted; beside a writer, a missing segment tells of a newer state to be read.
  func load(besideWriter: Bool = false) throws(LogError) {
    guard hasUnread.load(ordering: .acquiring) else { return }
    var reading = Reading()
    defer { takeIn(reading) }
    // From the end, where taking one out of the list moves no other.
    for holder in state.withLock({ state in state.refused + state.unread }).reversed() {
      let delayed = besideWriter ? observer.map { DelayedObserver($0) } : nil
      do throws(LogError) { try read(holder, &reading, telling: delayed ?? observer) } catch {
        // The other copy may lie elsewhere.
        guard let damage = error.damage else { throw error }
        if besideWriter, damage.reason == Segment.missing { throw error }
        if case .fileIO = error { reading.refused.insert(holder.identifier) }
      }
      delayed?.release()
      reading.holders.append(holder)
    }
  }

  /// The same until `wanted` is known. A segment that cannot be read is left for those who need
  /// all, and its error thrown if no other one has the dictionary.
  private func load(until wanted: UInt32) throws(LogError) {
    var reading = Reading()
    var failure: LogError?
    // The newest are the most likely ones.
    for holder in state.withLock({ state in state.refused + state.unread }).reversed() {
      if isKnown(wanted, reading) { break }
      do throws(LogError) {
        try read(holder, &reading, telling: observer)
        reading.holders.append(holder)
      } catch {
        if case .fileIO = error {
          failure = failure ?? error
        } else if let damage = error.damage, damage.reason != Segment.missing {
          // It says no more when it is read again, which may take long.
          reading.holders.append(holder)
        }
      }
    }
    takeIn(reading)
    if let failure, !isKnown(wanted, reading) { throw failure }
  }

  /// Whether a dictionary is known, or was just read.
  private func isKnown(_ wanted: UInt32, _ reading: Reading) -> Bool {
    (lendTable { $0.lent(wanted) } ?? nil) != nil
      || reading.found.contains { $0.dictionary.identifier.rawValue == wanted }
  }

  /// Shows what was read before the segments count as read.
  private func takeIn(_ reading: Reading) {
    insert(reading.found)
    for holder in reading.holders {
      noteRead(holder, isRefused: reading.refused.contains(holder.identifier))
    }
  }

  private func noteRead(_ holder: SegmentDescriptor, isRefused: Bool) {
    state.withLock { state in
      state.refused.removeAll { $0.identifier == holder.identifier }
      if isRefused { state.refused.append(holder) }
      // Others may have read it, too, or added some, meanwhile.
      if let position = state.unread.lastIndex(where: { $0.identifier == holder.identifier }) {
        state.unread.remove(at: position)
      }
      if (state.unread + state.refused).isEmpty { hasUnread.store(false, ordering: .releasing) }
    }
  }

  private func read(
    _ holder: SegmentDescriptor, _ reading: inout Reading, telling observer: (any StoreObserver)?
  ) throws(LogError) {
    let segment = Segment(
      holder, store: store, directory: directory, readMode: .buffered, dictionaries: self,
      observer: observer)
    let run = try segment.run()
    do throws(RunDamage) { try read(run, of: segment, &reading) } catch {
      if let obstacle = error.obstacle { throw .fileIO(obstacle) }
      let rebuilt = try segment.rebuildRun()
      do throws(RunDamage) { try read(rebuilt, of: segment, &reading) } catch {
        if case .fileIO(let cause) = error { throw .fileIO(cause) }
        preconditionFailure("a rebuilt run must be readable: \(error)")
      }
    }
  }

  private func read(
    _ run: IndexRun, of segment: Segment, _ reading: inout Reading
  ) throws(RunDamage) {
    let lower = [CompressionDictionary.keyPrefix]
    let upper = [CompressionDictionary.keyPrefix, 2]
    try lower.withBytes { (lower: UnsafeRawBufferPointer) throws(RunDamage) in
      try upper.withBytes { (upper: UnsafeRawBufferPointer) throws(RunDamage) in
        let bounds = WalkBounds(
          lower: IndexKey(.catalog, lower), upper: IndexKey(.catalog, upper))
        let cursor = try RunCursor(run, bounds: bounds, from: bounds.start)
        while let (key, value) = cursor.current {
          try read(key, value, in: segment, &reading)
          try cursor.advance()
        }
      }
    }
  }

  private func read(
    _ key: IndexKey, _ value: IndexValue, in segment: Segment, _ reading: inout Reading
  ) throws(RunDamage) {
    guard !value.isTombstone,
      let (identifier, _) = CompressionDictionary.identifier(ofKey: key.buffer)
    else { return }
    do throws(LogError) {
      try segment.withRecord(at: value, key: key) { (record) throws(LogError) in
        do throws(BinaryDecodingError) {
          if let found = try FoundDictionary(record) { reading.found.append(found) }
        } catch {
          throw segment.damage(at: UInt64(value.offset), "dictionary: \(error)")
        }
      }
    } catch {
      guard let damage = error.damage else {
        if case .fileIO(let cause) = error { throw .fileIO(cause) }
        throw .damaged("\(error)")
      }
      if case .fileIO = error { reading.refused.insert(segment.identifier) }
      state.withLock { state in
        state.copies.update(identifier, from: Copies()) { $0.damages.note(damage) }
      }
    }
  }
}
