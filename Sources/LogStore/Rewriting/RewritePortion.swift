internal import BinaryCoding
internal import FileIO

/// Some records of a rewrite, in their order, on the way to its outputs.
///
/// The rewrite fills it, one thread transforms and compresses what is in it, and the rewrite writes
/// it.
final class RewritePortion: @unchecked Sendable {
  // Sendable: one thread uses it at a time; `monitor` orders what they do.
  private let paddingBefore = CacheLinePadding()
  private let monitor = Monitor()
  private var progress = Progress.filling
  @exclusivity(unchecked) private var bytes = ByteWriter(capacity: 4 << 10)
  @exclusivity(unchecked) private var encoded = ByteWriter(capacity: 4 << 10)
  @exclusivity(unchecked) private var records: [Record] = []
  private var dictionaries: [CompressionDictionary] = []
  /// Where records were read that are to be transformed, in segments of `inputs`.
  @exclusivity(unchecked) private var origins: [(segment: Unmanaged<Segment>, offset: UInt32)] = []
  /// Keeps the segments until it is emptied: the rewrite may be cancelled while another thread
  /// transforms.
  private var inputs: [Segment] = []
  /// For who transforms them.
  @exclusivity(unchecked) private var memory = TransformMemory()
  /// What became of them.
  @exclusivity(unchecked) private var outcomes: [Result<RewriteTally.Outcome, LogError>] = []

  private enum Progress {
    case filling
    case waiting
    case taken
    case compressed
  }

  private struct Record {
    enum Work {
      /// The record stays as it is.
      case keep
      /// It is encoded anew if that makes it smaller.
      case shrink
      /// It is given to the transformer.
      case transform
    }

    let work: Work
    let sequence: CommitSequence
    /// Of the record as it is.
    let header: RecordHeader
    /// The record in `bytes`.
    let record: Range<Int>
    /// What is to be compressed, in `bytes`.
    let payload: Range<Int>
    /// In `dictionaries`, for what is to be compressed.
    let dictionary: Int?
    /// In `origins` and `outcomes`, for what is to be transformed.
    let transformed: Int?
    /// The new record, in `encoded`, and its header; nothing when it stays as it is.
    var result: (bytes: Range<Int>, header: RecordHeader)?
  }

  /// Above it, memory is not kept, and no others are on the way: it is to be a constant.
  static let largeByteCount = 256 << 10

  /// What it holds of records and payloads, before they are compressed. Used by who fills it.
  @exclusivity(unchecked) private(set) var byteCount = 0
  /// From how many on it is to be sent on. Here, as it is asked for each record: what other threads
  /// have written beside it would be in the way.
  @exclusivity(unchecked) var byteCountMaximum = 1
  var isFull: Bool { byteCount >= byteCountMaximum }
  var isEmpty: Bool { records.isEmpty }
  /// How many times larger than what it held is what was encoded.
  var growth: Double { Double(encoded.count) / Double(max(1, bytes.count)) }

  private let paddingBehind = CacheLinePadding()

  // MARK: Filling

  /// Adds an encoded record that stays as it is.
  func add(
    _ record: UnsafeRawBufferPointer, _ header: RecordHeader, _ sequence: CommitSequence
  ) {
    let start = bytes.count
    bytes.writeBytes(record)
    add(
      Record(
        work: .keep, sequence: sequence, header: header, record: start..<bytes.count,
        payload: 0..<0, dictionary: nil, transformed: nil))
  }

  /// Adds a record that is transformed.
  func add(
    _ record: RecordDecoder.Decoded, _ sequence: CommitSequence,
    in segment: Unmanaged<Segment>, at offset: UInt32
  ) {
    let start = bytes.count
    bytes.writeBytes(record.bytes)
    add(
      Record(
        work: .transform, sequence: sequence, header: record.header, record: start..<bytes.count,
        payload: 0..<0, dictionary: nil, transformed: origins.count))
    origins.append((segment, offset))
  }

  /// Adds a record that becomes smaller, if compressing `payload` makes it so.
  func add(
    _ record: RecordDecoder.Decoded, payload: UnsafeRawBufferPointer,
    _ dictionary: CompressionDictionary, _ sequence: CommitSequence
  ) {
    let start = bytes.count
    bytes.writeBytes(record.bytes)
    let end = bytes.count
    bytes.writeBytes(payload)
    add(
      Record(
        work: .shrink, sequence: sequence, header: record.header, record: start..<end,
        payload: end..<bytes.count, dictionary: index(of: dictionary), transformed: nil))
  }

  private func index(of dictionary: CompressionDictionary) -> Int {
    if dictionaries.last !== dictionary { dictionaries.append(dictionary) }
    return dictionaries.count - 1
  }

  private func add(_ record: Record) {
    records.append(record)
    byteCount = bytes.count + records.count * MemoryLayout<Record>.stride
  }

  /// Nothing more is added: it may be compressed. `inputs` are the segments that records come from.
  func close(keeping inputs: [Segment]) {
    self.inputs = inputs
    set(.waiting)
  }

  /// Nobody wants what is in it: no other thread begins with it.
  func giveUp() {
    if take() { set(.compressed) }
  }

  private func set(_ newProgress: Progress) {
    monitor.enter()
    progress = newProgress
    monitor.wakeAll()
    monitor.leave()
  }

  // MARK: Compressing

  /// Transforms, encodes and checksums what is to be, if it is closed and no other thread has begun
  /// to; returns whether it did. `seed` is that of the store's checksums; `tools` are asked for
  /// only where they are used.
  @discardableResult
  func compress(with tools: @autoclosure () -> RewriteTools, seed: UInt64) -> Bool {
    guard take() else { return false }
    let tools = tools()
    let (compressor, transformer) = (tools.compressor, tools.transformer)
    for index in records.indices {
      switch records[index].work {
      case .keep: break
      case .shrink: shrink(index, compressor, seed)
      case .transform: transform(index, transformer, compressor, seed)
      }
    }
    set(.compressed)
    return true
  }

  private func take() -> Bool {
    monitor.enter()
    defer { monitor.leave() }
    guard progress == .waiting else { return false }
    progress = .taken
    return true
  }

  private func shrink(_ index: Int, _ compressor: RecordCompressor, _ seed: UInt64) {
    let old = records[index]
    let dictionary = old.dictionary.map { dictionaries[$0] }
    // As small as before is enough to leave an older dictionary, which goes when nothing needs it.
    let leavesDictionary =
      old.header.dictionary != 0 && old.header.dictionary != dictionary?.identifier.rawValue
    guard let small = compressor.compress(slice(old.payload), against: dictionary),
      small.count < old.header.storedLength + (leavesDictionary ? 1 : 0)
    else { return }
    encode(
      index, old.header, rawLength: old.payload.count, .lz4WithDictionary,
      dictionary?.identifier.rawValue ?? 0, small, seed)
  }

  private func transform(
    _ index: Int, _ transformer: (any RecordTransformer)?, _ compressor: RecordCompressor,
    _ seed: UInt64
  ) {
    let old = records[index]
    guard let transformer, let origin = old.transformed.map({ origins[$0] }) else {
      preconditionFailure("a record that is to be transformed needs a transformer")
    }
    let record = LentRecord(
      RecordDecoder.Decoded(header: old.header, bytes: slice(old.record)), in: origin.segment,
      at: origin.offset)
    // Now, not before the next: that may be long in coming, or never.
    defer { memory.removeAll() }
    do throws(LogError) {
      let outcome = try transformer.transform(record, &memory)
      switch Self.checked(outcome, of: old.header, payloadByteCount: memory.new.count) {
      case .replaced(let version):
        outcomes.append(.success(.replaced))
        replace(index, version, memory.new.bytes, compressor, seed)
      case .dropped:
        outcomes.append(.success(.dropped))
        var header = old.header
        header.kind = .tombstone
        header.schemaVersion = 0
        encode(
          index, header, rawLength: 0, .none, 0, UnsafeRawBufferPointer(start: nil, count: 0),
          seed)
      case .kept(let error): outcomes.append(.success(.kept(error)))
      }
    } catch { outcomes.append(.failure(error)) }
  }

  /// A record that becomes larger than records may be stays as it is: it must not stop the others.
  private static func checked(
    _ outcome: RecordTransformation, of header: RecordHeader, payloadByteCount: Int
  ) -> RecordTransformation {
    guard case .replaced(let schemaVersion) = outcome else { return outcome }
    do throws(LogError) {
      try LogLimits.checkRecord(
        keyByteCount: header.keyLength, payloadByteCount: payloadByteCount)
      try LogLimits.checkSchemaVersion(schemaVersion)
      return outcome
    } catch { return .kept(error) }
  }

  private func replace(
    _ index: Int, _ schemaVersion: UInt64, _ payload: UnsafeRawBufferPointer,
    _ compressor: RecordCompressor, _ seed: UInt64
  ) {
    var header = records[index].header
    header.schemaVersion = schemaVersion
    let old = RecordDecoder.Decoded(
      header: records[index].header, bytes: slice(records[index].record))
    if let stored = compressor.compress(
      payload, schemaVersion, in: old, madeOf: memory.old.bytes, memory.copies.ranges)
    {
      encode(
        index, header, rawLength: payload.count, stored.kind, stored.dictionary, stored.bytes, seed)
    } else {
      encode(index, header, rawLength: payload.count, .none, 0, payload, seed)
    }
  }

  private func encode(
    _ index: Int, _ header: RecordHeader, rawLength: Int, _ kind: RecordCompressionKind,
    _ dictionary: UInt32, _ stored: UnsafeRawBufferPointer, _ seed: UInt64
  ) {
    let old = records[index]
    let key = old.record.lowerBound + old.header.keyOffset
    let start = RecordEncoder.encode(
      kind: header.kind, compression: kind,
      dictionary: dictionary, collection: header.collection,
      schemaVersion: header.schemaVersion, commitTime: header.commitTime,
      key: slice(key..<(key + header.keyLength)), rawLength: rawLength, payload: stored,
      to: &encoded)
    let range = start..<encoded.count
    guard let base = encoded.mutableBytes.baseAddress else { return }
    let record = UnsafeRawBufferPointer(rebasing: encoded.bytes[range])
    RecordEncoder.finishChecksum(
      base + start, unfinished: RecordEncoder.unfinishedChecksum(record),
      sequence: old.sequence, seed: seed)
    var header = header
    header.compression = kind
    header.dictionary = dictionary
    header.rawLength = rawLength
    header.storedLength = stored.count
    header.keyOffset = record.count - header.keyLength - stored.count
    assert(header == .decoded(record), "a header must be that of the record which was encoded")
    records[index].result = (range, header)
  }

  private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes.bytes[range])
  }

  // MARK: Emptying

  /// Whether there is nothing to wait for.
  var isCompressed: Bool {
    monitor.enter()
    defer { monitor.leave() }
    return progress == .compressed
  }

  /// Returns when another thread has compressed it.
  func waitUntilCompressed() {
    monitor.enter()
    while progress != .compressed { monitor.wait() }
    monitor.leave()
  }

  /// Gives `body` each record, in their order, and forgets them; `tally` counts what was
  /// transformed.
  ///
  /// - Throws: what `body` or the transformer threw.
  func empty(
    tally: inout RewriteTally,
    _ body: (UnsafeRawBufferPointer, RecordHeader, CommitSequence) throws(LogError) -> Void
  ) throws(LogError) {
    defer { removeAll() }
    for old in records {
      if let transformed = old.transformed {
        tally.note(try outcomes[transformed].get(), of: old.header)
      }
      if let result = old.result {
        let record = UnsafeRawBufferPointer(rebasing: encoded.bytes[result.bytes])
        try body(record, result.header, old.sequence)
      } else {
        try body(slice(old.record), old.header, old.sequence)
      }
    }
  }

  private func removeAll() {
    if max(byteCount, encoded.count) > Self.largeByteCount {
      bytes = ByteWriter(capacity: 4 << 10)
      encoded = ByteWriter(capacity: 4 << 10)
    }
    byteCount = 0
    bytes.removeAll()
    encoded.removeAll()
    records.removeAll(keepingCapacity: true)
    dictionaries.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    inputs = []
    outcomes.removeAll(keepingCapacity: true)
    // A worker that came too late may look at it still.
    set(.filling)
  }
}
