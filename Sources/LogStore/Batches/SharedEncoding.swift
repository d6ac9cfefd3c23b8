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
  /// What the worker encodes: the last portion first.
  private let part: WriteBatch

  /// So many that beginning a portion costs nothing beside encoding it.
  static let portionRecordCount = 64

  /// An encoding of `records`, not none, that will be added to `batch`.
  init(
    _ records: [KeyedPayload], _ collection: CollectionIdentifier, _ schemaVersion: UInt64,
    for batch: WriteBatch
  ) {
    part = batch.makePart()
    self.records = records
    self.collection = collection
    self.schemaVersion = schemaVersion
    left = 0..<((records.count + Self.portionRecordCount - 1) / Self.portionRecordCount)
  }

  /// Adds all records to `batch`, on this thread and on `worker`.
  func encode(into batch: WriteBatch, with worker: SerialWorker) {
    _ = worker.submit { [self] in work() }
    while let portion = takeFirst() { encode(portion, into: batch) }
    waitForWorker()
    moveRecords(to: batch)
  }

  private func encode(_ portion: Int, into batch: WriteBatch) {
    for record in records[bounds(of: portion)] {
      batch.put(record.key, collection, schemaVersion, record.payload)
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
    while let portion = takeLast() { encode(portion, into: part) }
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
