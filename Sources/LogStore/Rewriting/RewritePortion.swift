internal import BinaryCoding
internal import FileIO

/// Some records of a rewrite, in their order, on the way to its outputs.
///
/// The rewrite fills it, one thread compresses what is in it, and the rewrite writes it.
final class RewritePortion: @unchecked Sendable {
  // Sendable: one thread uses it at a time; `monitor` orders what they do.
  private let monitor = Monitor()
  private var progress = Progress.filling
  @exclusivity(unchecked) private var bytes = ByteWriter(capacity: 4 << 10)
  @exclusivity(unchecked) private var encoded = ByteWriter(capacity: 4 << 10)
  @exclusivity(unchecked) private var records: [Record] = []
  private var dictionaries: [CompressionDictionary] = []

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
      /// There is a key and a payload, and no record yet.
      case encode
    }

    let work: Work
    let sequence: CommitSequence
    /// Of the record as it is, or what the new one has in common with it.
    let header: RecordHeader
    /// The record, or the key, in `bytes`.
    let record: Range<Int>
    /// What is to be compressed, in `bytes`.
    let payload: Range<Int>
    /// In `dictionaries`; nothing when there is none.
    let dictionary: Int?
    /// The new record, in `encoded`, and its header; nothing when it stays as it is.
    var result: (bytes: Range<Int>, header: RecordHeader)?
  }

  /// Above it, memory is not kept, and no others are on the way: it is to be a constant.
  static let largeByteCount = 256 << 10

  /// What it holds of records and payloads, before they are compressed.
  var byteCount: Int { bytes.count + records.count * MemoryLayout<Record>.stride }
  var isEmpty: Bool { records.isEmpty }

  // MARK: Filling

  /// Adds an encoded record that stays as it is.
  func add(
    _ record: UnsafeRawBufferPointer, _ header: RecordHeader, _ sequence: CommitSequence
  ) {
    let start = bytes.count
    bytes.writeBytes(record)
    records.append(
      Record(
        work: .keep, sequence: sequence, header: header, record: start..<bytes.count,
        payload: 0..<0, dictionary: nil))
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
    records.append(
      Record(
        work: .shrink, sequence: sequence, header: record.header, record: start..<end,
        payload: end..<bytes.count, dictionary: index(of: dictionary)))
  }

  /// Adds a record that has no bytes yet; `header` tells its kind, collection, version and time.
  func add(
    key: UnsafeRawBufferPointer, _ header: RecordHeader, payload: UnsafeRawBufferPointer,
    _ dictionary: CompressionDictionary?, _ sequence: CommitSequence
  ) {
    let start = bytes.count
    bytes.writeBytes(key)
    let end = bytes.count
    bytes.writeBytes(payload)
    records.append(
      Record(
        work: .encode, sequence: sequence, header: header, record: start..<end,
        payload: end..<bytes.count, dictionary: dictionary.map { index(of: $0) }))
  }

  private func index(of dictionary: CompressionDictionary) -> Int {
    if dictionaries.last !== dictionary { dictionaries.append(dictionary) }
    return dictionaries.count - 1
  }

  /// Nothing more is added: it may be compressed.
  func close() { set(.waiting) }

  private func set(_ newProgress: Progress) {
    monitor.enter()
    progress = newProgress
    monitor.wakeAll()
    monitor.leave()
  }

  // MARK: Compressing

  /// Encodes and checksums what is to be encoded, if it is closed and no other thread has begun to;
  /// returns whether it did. `seed` is that of the store's checksums.
  @discardableResult
  func compress(with compressor: RecordCompressor, seed: UInt64) -> Bool {
    guard take() else { return false }
    for index in records.indices {
      switch records[index].work {
      case .keep: break
      case .shrink: shrink(index, compressor, seed)
      case .encode: encode(index, compressor, seed)
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
    guard let small = compressor.compress(slice(old.payload), against: dictionary),
      small.count < old.header.storedLength
    else { return }
    let start = old.record.lowerBound + old.header.keyOffset
    encode(
      index, key: start..<(start + old.header.keyLength), .lz4WithDictionary, dictionary, small,
      seed)
  }

  private func encode(_ index: Int, _ compressor: RecordCompressor, _ seed: UInt64) {
    let old = records[index]
    let dictionary = old.dictionary.map { dictionaries[$0] }
    let payload = slice(old.payload)
    if old.header.kind == .put, compressor.tries(dictionary),
      let small = compressor.compress(payload, against: dictionary)
    {
      let used = dictionary.flatMap { $0.compresses ? $0 : nil }
      encode(index, key: old.record, used == nil ? .lz4 : .lz4WithDictionary, used, small, seed)
    } else {
      encode(index, key: old.record, .none, nil, payload, seed)
    }
  }

  private func encode(
    _ index: Int, key: Range<Int>, _ kind: RecordCompressionKind,
    _ dictionary: CompressionDictionary?, _ stored: UnsafeRawBufferPointer, _ seed: UInt64
  ) {
    let old = records[index]
    let start = RecordEncoder.encode(
      kind: old.header.kind, compression: kind,
      dictionary: dictionary?.identifier.rawValue ?? 0, collection: old.header.collection,
      schemaVersion: old.header.schemaVersion, commitTime: old.header.commitTime,
      key: slice(key), rawLength: old.payload.count, payload: stored, to: &encoded)
    let range = start..<encoded.count
    guard let base = encoded.mutableBytes.baseAddress else { return }
    let record = UnsafeRawBufferPointer(rebasing: encoded.bytes[range])
    RecordEncoder.finishChecksum(
      base + start, unfinished: RecordEncoder.unfinishedChecksum(record),
      sequence: old.sequence, seed: seed)
    records[index].result = (range, .decoded(record))
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

  /// Gives `body` each record, in their order, and forgets them.
  func empty(
    _ body: (UnsafeRawBufferPointer, RecordHeader, CommitSequence) throws(LogError) -> Void
  ) throws(LogError) {
    defer { removeAll() }
    for old in records {
      if let result = old.result {
        let record = UnsafeRawBufferPointer(rebasing: encoded.bytes[result.bytes])
        try body(record, result.header, old.sequence)
      } else {
        try body(slice(old.record), old.header, old.sequence)
      }
    }
  }

  private func removeAll() {
    if byteCount > Self.largeByteCount {
      bytes = ByteWriter(capacity: 4 << 10)
      encoded = ByteWriter(capacity: 4 << 10)
    }
    bytes.removeAll()
    encoded.removeAll()
    records.removeAll(keepingCapacity: true)
    dictionaries.removeAll(keepingCapacity: true)
    // A worker that came too late may look at it still.
    set(.filling)
  }
}
