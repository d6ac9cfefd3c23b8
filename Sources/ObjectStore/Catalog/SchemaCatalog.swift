internal import BinaryCoding
internal import LogStore
internal import SchemaRegistry

/// What the store knows of its own data: the shapes of every version that wrote to it, and which
/// collection holds which type. A value; it only ever grows.
///
/// It lies in the log's reserved collection, so that a description can never arrive later than the
/// data it describes:
///
///     key                                  payload
///     1, version (8 bytes, big-endian)     the shape of the schema at that version
///     2                                    format 1, count, and for each type: the version that
///                                          introduced it, its original name, its collection
///     3                                    the indexes; see `SchemaCatalog+Indexes`
///     4, version (8 bytes, big-endian)     what the models of a configuration meant at that
///                                          version; see `SchemaCatalog+Models`
/// A later commit puts each of them once more, for salvage: see `SchemaCatalog+Copies`.
///
/// A kind or a format that is not known is from a newer version of this library, not damage.
struct SchemaCatalog: Sendable, Equatable {
  var shapes = SortedTable<SchemaVersion, SchemaShape>()
  var collections = SortedTable<TypeIdentity, CollectionIdentifier>()
  var indexes: [StoredIndex] = []
  /// What was recorded of the models of configurations, by version and type.
  var models: [SchemaVersion: [TypeIdentity: RecordedModel]] = [:]
  /// What the store recorded of the history's versions; see ``LedgerCoding``.
  var ledger = SortedTable<SchemaVersion, RecordedVersion>()

  /// The keys of copies that are missing, or older than what they are of; nothing where nobody has
  /// looked yet.
  var uncopied: Set<[UInt8]>?
  /// Whether the store is what a salvage saved that lost something, and nothing was put since.
  var hasLosses = false
  /// Collections with records that nothing describes: salvage lost what did.
  var undescribed: Set<CollectionIdentifier> = []

  private static let shapePrefix: UInt8 = 1
  private static let collectionsKey: [UInt8] = [2]
  private static let collectionsFormat: UInt8 = 1

  /// The highest version that wrote to the store.
  var highestVersion: SchemaVersion? { shapes.keys.last }

  /// The highest collection number that is in use, whether anything describes it or not.
  var highestCollection: UInt32 {
    let numbers = [
      collections.values.max(), indexes.map(\.collection).max(), undescribed.max(),
    ]
    return numbers.compactMap { $0?.rawValue }.max() ?? 0
  }

  /// The highest version that has a type, of those below `end`.
  func newestVersion(
    of identity: TypeIdentity, before end: SchemaVersion? = nil
  ) -> SchemaVersion? {
    shapes.entries.last { version, shape in
      end.map { version < $0 } != false && shape.type(identity) != nil
    }?.key
  }

  /// The shape of a type under the highest version that has it.
  func newestShape(of identity: TypeIdentity) -> TypeShape? {
    newestVersion(of: identity).flatMap { shapes[$0]?.type(identity) }
  }

  /// The type that a collection holds.
  func identity(of collection: CollectionIdentifier) -> TypeIdentity? {
    collections.entries.first { $0.value == collection }?.key
  }

  /// The collection of a type, a new one when it has none yet.
  ///
  /// - Throws: ``LogError/limitExceeded(name:maximum:actual:)`` when all numbers are used up.
  mutating func collection(
    for identity: TypeIdentity
  ) throws(StoreError) -> CollectionIdentifier {
    if let known = collections[identity] { return known }
    let highest = highestCollection
    guard highest + 1 < CollectionIdentifier.catalogCopies.rawValue else {
      throw .log(
        .limitExceeded(
          name: "collections", maximum: UInt64(CollectionIdentifier.catalogCopies.rawValue) - 1,
          actual: UInt64(highest) + 1))
    }
    let added = CollectionIdentifier(highest + 1)
    collections[identity] = added
    return added
  }

  /// Gives a type a collection that nothing was ever written to.
  mutating func renewCollection(
    of identity: TypeIdentity
  ) throws(StoreError) -> CollectionIdentifier {
    let old = collections[identity]
    // The old number stays taken until the new one is chosen.
    collections[identity] = nil
    if let old { collections[TypeIdentity(introducedIn: .reserved, originalName: "")] = old }
    let added = try collection(for: identity)
    collections[TypeIdentity(introducedIn: .reserved, originalName: "")] = nil
    return added
  }

  /// Reads the catalog that `snapshot` sees.
  init(_ snapshot: Snapshot) throws(StoreError) {
    for (key, payload) in try Self.records(of: .catalog, .catalogOfSchemas, in: snapshot) {
      switch key.first {
      case Self.shapePrefix: try addShape(payload, key: key)
      case _ where key == Self.collectionsKey: try addCollections(payload)
      case _ where key == Self.indexesKey: indexes = try Self.decodeIndexes(payload)
      case Self.modelsPrefix: try addModels(payload, key: key)
      default:
        throw .newerCatalog(reason: "it has a record of kind \(key.first ?? 0), which is unknown")
      }
    }
    // Else building the index would take the type's objects for old keys of it.
    let taken = collections.values.sorted()
    if let index = indexes.first(where: { taken.hasInOrder($0.collection) }) {
      throw .malformedCatalog(
        reason: "an index of \(index.type.originalName) has the collection \(index.collection), "
          + "which is a type's")
    }
    try doubtIndexes(in: snapshot)
    for (key, payload) in try Self.records(of: .ledger, in: snapshot) {
      let entry = try LedgerCoding.decode(payload, key: key)
      ledger[entry.version] = entry
    }
  }

  private static func records(
    of collection: CollectionIdentifier, _ keys: KeyRange = .all, in snapshot: Snapshot
  ) throws(StoreError) -> [(key: [UInt8], payload: [UInt8])] {
    try StoreError.log { () throws(LogError) in
      let cursor = try snapshot.records(in: collection, keys: keys)
      var found: [(key: [UInt8], payload: [UInt8])] = []
      while let (key, record) = try cursor.next() { found.append((key, record.payload)) }
      return found
    }
  }

  init() {}

  /// Takes in what a history says of versions. What was recorded first stays: that is what the
  /// records were upgraded by.
  mutating func record(_ versions: [SchemaVersion: RecordedVersion]) {
    for (version, entry) in versions where ledger[version] == nil { ledger[version] = entry }
  }

  private mutating func addShape(_ payload: [UInt8], key: [UInt8]) throws(StoreError) {
    try Self.checkFormat(payload, of: "schemas", known: SchemaShape.encodingFormat)
    let shape = try StoreError.schema { () throws(SchemaError) in
      try SchemaShape(decoding: payload)
    }
    guard key == Self.key(of: shape.version) else {
      throw .malformedCatalog(reason: "version \(shape.version) lies under another version's key")
    }
    shapes[shape.version] = shape
  }

  /// Throws when the first byte of a record says that it is of a later format.
  static func checkFormat(
    _ payload: [UInt8], of what: String, known: UInt8
  ) throws(StoreError) {
    guard let format = payload.first, format > known else { return }
    throw .newerCatalog(reason: "\(what) have format \(format), and \(known) is known")
  }

  /// The key under which the shape of a version lies.
  static func key(of version: SchemaVersion) -> [UInt8] {
    withUnsafeBytes(of: version.rawValue.bigEndian) { [shapePrefix] + $0 }
  }

  private mutating func addCollections(_ payload: [UInt8]) throws(StoreError) {
    try Self.checkFormat(payload, of: "collections", known: Self.collectionsFormat)
    var found: [(key: TypeIdentity, value: CollectionIdentifier)] = []
    do throws(BinaryDecodingError) {
      try payload.withBytes { (bytes: UnsafeRawBufferPointer) throws(BinaryDecodingError) in
        var reader = ByteReader(bytes)
        guard try reader.readByte() == Self.collectionsFormat else {
          throw .invalidValue(offset: 0, reason: "unknown format")
        }
        let count = try reader.readVariableLength(as: Int.self)
        for _ in 0..<count {
          let version = SchemaVersion(rawValue: try reader.readVariableLength())
          let name = try reader.readString()
          let number = try reader.readVariableLength()
          guard number > 0, number < UInt64(CollectionIdentifier.catalogCopies.rawValue) else {
            throw .invalidValue(offset: reader.offset, reason: "collection \(number)")
          }
          found.append(
            (
              TypeIdentity(introducedIn: version, originalName: name),
              CollectionIdentifier(UInt32(number))
            ))
        }
        let numbers = found.map(\.value).sorted()
        guard let table = SortedTable(unordered: found),
          zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 })
        else {
          throw .invalidValue(offset: reader.offset, reason: "a type or collection appears twice")
        }
        try reader.expectEnd()
        collections = table
      }
    } catch { throw .malformedCatalog(reason: "\(error)") }
  }

  /// Puts what `self` has and `known` has not into a transaction.
  mutating func write(
    addedTo known: SchemaCatalog, into transaction: Transaction
  ) throws(StoreError) {
    try settleSalvage(into: transaction)
    for (version, shape) in shapes.entries
    where known.shapes[version] != shape {
      try put(Self.key(of: version), shape.encoded(), into: transaction)
    }
    if indexes != known.indexes {
      try put(Self.indexesKey, encodedIndexes(), into: transaction)
    }
    try writeModels(addedTo: known, into: transaction)
    for (version, entry) in ledger.entries
    where known.ledger[version] != entry {
      try put(LedgerCoding.key(of: version), in: .ledger, entry.encoded(), into: transaction)
    }
    guard collections != known.collections else { return }
    var writer = ByteWriter()
    writer.writeByte(Self.collectionsFormat)
    writer.writeVariableLength(UInt64(collections.count))
    for (identity, collection) in collections.entries.sorted(by: { $0.value < $1.value }) {
      writer.writeVariableLength(identity.introducedIn.rawValue)
      writer.writeString(identity.originalName)
      writer.writeVariableLength(UInt64(collection.rawValue))
    }
    try put(Self.collectionsKey, writer.array(), into: transaction)
  }
}
