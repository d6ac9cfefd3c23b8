internal import BinaryCoding
internal import FileIO

/// The records of the catalog and the ledger of which only a copy was saved, or an earlier state
/// than the copy's.
struct LostDescriptions {
  /// One of them; it gets a sequence of its own.
  struct Description {
    let collection: CollectionIdentifier
    let key: [UInt8]
    let copy: StoredRecord
  }

  /// How many of them are put back.
  let restoredCount: Int
  /// Ascending by collection and key.
  private(set) var descriptions: [Description] = []

  /// Those that `view` lacks; with `hasLosses` the note of that besides, where there are indexes.
  init(in view: View, hasLosses: Bool, at commitTime: CommitTime) throws(LogError) {
    let copies = RecordCursor(
      try RecordWalk(view: view, collection: .catalogCopies))
    while let (key, copy) = try copies.next() {
      guard let original = CatalogCopy.original(of: key) else { continue }
      let saved = try original.key.withBytes { (key: UnsafeRawBufferPointer) throws(LogError) in
        try view.record(IndexKey(original.collection, key))
      }
      // A copy is later than what it was made of, and earlier than what took the place of that.
      if let saved, saved.sequence > copy.sequence || saved.payload == copy.payload { continue }
      descriptions.append(
        Description(collection: original.collection, key: original.key, copy: copy))
    }
    restoredCount = descriptions.count
    let indexes = try CatalogCopy.indexesKey.withBytes {
      (key: UnsafeRawBufferPointer) throws(LogError) in
      try view.record(IndexKey(.catalog, key))
    }
    let restoresIndexes = descriptions.contains {
      $0.collection == .catalog && $0.key == CatalogCopy.indexesKey
    }
    if hasLosses, indexes != nil || restoresIndexes {
      let note = StoredRecord(
        schemaVersion: 0, sequence: .zero, commitTime: commitTime, payload: CatalogCopy.loss)
      descriptions.append(
        Description(collection: .catalogCopies, key: CatalogCopy.lossKey, copy: note))
    }
    descriptions.sort { left, right in
      left.collection != right.collection
        ? left.collection < right.collection : left.key.lexicographicallyPrecedes(right.key)
    }
  }

  /// Writes them to `output`, under the sequences behind `last`.
  func write(
    to output: inout RewriteOutput, after last: CommitSequence, seed: UInt64
  ) throws(LogError) {
    var sequence = last
    for description in descriptions {
      try LogLimits.checkSequence(after: sequence, recordCount: 1)
      sequence = CommitSequence(sequence.rawValue + 1)
      var bytes = Self.encode(description)
      try Self.append(&bytes, to: &output, sequence, seed: seed)
    }
  }

  private static func encode(_ description: Description) -> ByteWriter {
    var writer = ByteWriter()
    description.key.withBytes { key in
      description.copy.payload.withBytes { payload in
        _ = RecordEncoder.encode(
          kind: .put, compression: .none, collection: description.collection, schemaVersion: 0,
          commitTime: description.copy.commitTime, key: key, rawLength: payload.count,
          payload: payload, to: &writer)
      }
    }
    return writer
  }

  private static func append(
    _ record: inout ByteWriter, to output: inout RewriteOutput, _ sequence: CommitSequence,
    seed: UInt64
  ) throws(LogError) {
    let unfinished = RecordEncoder.unfinishedChecksum(record.bytes)
    if let start = record.mutableBytes.baseAddress {
      RecordEncoder.finishChecksum(start, unfinished: unfinished, sequence: sequence, seed: seed)
    }
    let header: RecordHeader
    do throws(BinaryDecodingError) {
      header = try RecordDecoder.decode(record.bytes, sequence: sequence, seed: seed).header
    } catch { preconditionFailure("a record that was just written must verify: \(error)") }
    do throws(FileIOError) {
      try output.append(record.bytes, header, sequence: sequence)
    } catch { throw .fileIO(error) }
  }
}
