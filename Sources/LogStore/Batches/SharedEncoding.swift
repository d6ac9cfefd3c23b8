internal import FileIO

/// The records of one put of many, which two threads encode: who puts them from the first one on,
/// a worker from the last one back, a portion each time, until they meet.
///
/// What the worker encoded lies in a batch of its own and is moved behind the rest when they have
/// met. Who puts waits for one portion at most, and for none when the worker is busy elsewhere.
final class SharedEncoding: @unchecked Sendable {
  // Sendable: what changes is used inside `monitor`; records are read, and the part is written,
  // only while who put them waits for it.
  private let records: [KeyedPayload]
  private let collection: CollectionIdentifier
  private let schemaVersion: UInt64

  private let monitor = Monitor()
  /// The portions that nobody has begun.
  private var left: Range<Int>
  private var isWorking = false
  /// What the worker encodes: the last portion first; how it and who puts compress.
  private let part: WriteBatch
  private var partCompressing: PayloadCompressing
  private var compressing: PayloadCompressing

  /// So many that beginning a portion costs nothing beside encoding it.
  static let portionRecordCount = 64

  /// An encoding of `records`, not none, that will be added to `batch`.
  init(
    _ records: [KeyedPayload], _ collection: CollectionIdentifier, _ schemaVersion: UInt64,
    _ compressing: PayloadCompressing, for batch: WriteBatch
  ) {
    part = batch.makePart()
    self.compressing = compressing
    partCompressing = compressing
    self.records = records
    self.collection = collection
    self.schemaVersion = schemaVersion
    left = 0..<((records.count + Self.portionRecordCount - 1) / Self.portionRecordCount)
  }

  /// What became of attempts to compress, once all is encoded.
  var outcome: CompressionAttempts.Outcome {
    var outcome = compressing.outcome
    outcome.add(partCompressing.outcome)
    return outcome
  }

  /// Adds all records to `batch`, on this thread and on `worker`, if there is one.
  func encode(into batch: WriteBatch, with worker: SerialWorker?) {
    _ = worker?.submit { [self] in work() }
    while let portion = takeFirst() { encode(portion, into: batch, &compressing) }
    waitForWorker()
    moveRecords(to: batch)
  }

  private func encode(
    _ portion: Int, into batch: WriteBatch, _ compressing: inout PayloadCompressing
  ) {
    let bounds = bounds(of: portion)
    for (place, record) in zip(bounds, records[bounds]) {
      compressing.isSampled = place % CompressionAttempts.sampling == 0
      batch.put(record.key, collection, schemaVersion, record.payload, &compressing)
    }
  }

  private func bounds(of portion: Int) -> Range<Int> {
    let start = portion * Self.portionRecordCount
    return start..<min(start + Self.portionRecordCount, records.count)
  }

  private func takeFirst() -> Int? {
    monitor.enter()
    defer { monitor.leave() }
    return left.popFirst()
  }

  private func takeLast() -> Int? {
    monitor.enter()
    defer { monitor.leave() }
    guard let last = left.popLast() else {
      isWorking = false
      monitor.wakeAll()
      return nil
    }
    isWorking = true
    return last
  }

  /// Called on the worker's thread, perhaps when everything is done: then it touches nothing. Tests
  /// call it before.
  func work() {
    while let portion = takeLast() { encode(portion, into: part, &partCompressing) }
  }

  /// Called when nothing is left to be begun.
  private func waitForWorker() {
    monitor.enter()
    while isWorking { monitor.wait() }
    monitor.leave()
  }

  /// The portions lie in the part in the opposite order, all but the very last one full.
  private func moveRecords(to batch: WriteBatch) {
    var end = part.count
    let lastCount = bounds(of: (records.count - 1) / Self.portionRecordCount).count
    while end > 0 {
      let start = end > lastCount ? end - Self.portionRecordCount : 0
      batch.append(part, changes: start..<end)
      end = start
    }
    batch.noteDictionaries(of: part)
  }
}
