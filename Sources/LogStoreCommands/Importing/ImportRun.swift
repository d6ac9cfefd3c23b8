internal import FileIO
internal import LogStore
internal import ObjectStore
internal import SchemaRegistry

/// Reads rows and commits them in batches; a batch is stored as a whole or not at all.
struct ImportRun {
  /// A batch ends early when it took this much of the input, so that memory stays bounded: 16 MiB.
  private static let batchByteCountMaximum: UInt64 = 16 << 20

  let target: ImportTarget
  let reader: any RowReader
  let format: ImportFormat
  /// Objects of a batch.
  let batchCount: Int
  private(set) var importedCount: UInt64 = 0
  /// Whether rows were read, or were to be, that are not stored.
  private(set) var isWithinBatch = false

  init(_ target: ImportTarget, _ reader: any RowReader, format: ImportFormat, batchCount: Int) {
    self.target = target
    self.reader = reader
    self.format = format
    self.batchCount = batchCount
  }

  /// Refuses an input whose header fits no object of `shape`.
  static func check(
    _ shape: TypeShape, _ reader: any RowReader, _ format: ImportFormat
  ) throws(ImportError) {
    guard let header = try reader.header() else { return }
    try RowConverter(shape: shape, format: format).check(header.names, line: header.line)
  }

  /// Imports all rows; `inform` is called after each batch, when it is durable.
  mutating func run(_ inform: (ImportRun) throws -> Void) throws {
    try Self.check(target.shape, reader, format)
    let converter = RowConverter(shape: target.shape, format: format)
    while true {
      isWithinBatch = true
      let count = try target.store.write(durability: .full) { transaction in
        try fill(transaction, converter)
      }
      isWithinBatch = false
      if count == 0 { return }
      importedCount += UInt64(count)
      try inform(self)
    }
  }

  private func fill(_ transaction: StoreTransaction, _ converter: RowConverter) throws -> Int {
    let start = reader.byteCountRead
    var count = 0
    while count < batchCount, reader.byteCountRead - start < Self.batchByteCountMaximum,
      let row = try reader.next()
    {
      let values = try converter.values(of: row)
      do throws(StoreError) {
        try transaction.put(values, ofType: target.shape.name)
      } catch .schema(.invalidKey(_, let reason)) {
        throw ImportError.invalidKey(line: row.line, reason: reason)
      } catch .schema(.invalidValue(_, let member, let reason)) {
        throw ImportError.refusedValue(line: row.line, member: member, reason: reason)
      } catch {
        guard error.isOfObject else { throw error }
        throw ImportError.refusedObject(line: row.line, reason: "\(error)")
      }
      count += 1
    }
    return count
  }
}

extension StoreError {
  /// Whether it says that an object cannot be stored, and not that the store cannot store any.
  fileprivate var isOfObject: Bool {
    switch self {
    case .notUnique, .keyTooLongForIndex: true
    case .log(.limitExceeded(let name, _, _)): ["key bytes", "payload bytes"].contains(name)
    default: false
    }
  }
}
