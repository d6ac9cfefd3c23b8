internal import BinaryCoding
internal import LogStore
internal import SchemaRegistry

/// The catalog's records of the models of configurations:
///
///     models   := format(1 byte, 1 to 3) count { model }
///                 and from format 2 on: count { version count { type member value } }
///                 and in format 3: lineages
///     model    := type count { member } byteCount payload count { sum }
///     type, member := introducedIn originalName
///     sum      := version fingerprint
///
/// The payload holds the initial values, as that of a record with these members in this order.
/// Format 2 is written where something was added inside of embedded objects since older versions:
/// these are, for each of them, objects of the values of what was added (decision 142). Format 3
/// says besides where members come from (decision 143).
/// Numbers are variable-length integers, the fingerprint has 16 bytes.
extension SchemaCatalog {
  static let modelsPrefix: UInt8 = 4
  private static let modelsFormat: UInt8 = 3

  private static func modelsKey(of version: SchemaVersion) -> [UInt8] {
    withUnsafeBytes(of: version.rawValue.bigEndian) { [modelsPrefix] + $0 }
  }

  /// Refuses a store that a salvage left with the models of a version and without its schema: in
  /// which order its objects have their members nobody knows, nor what blocks did for it.
  func checkModelsAreDescribed() throws(StoreError) {
    guard let lost = models.keys.first(where: { shapes[$0] == nil }) else { return }
    throw .malformedCatalog(
      reason:
        "the schema of version \(lost) was lost, and its models were not; what other versions "
        + "wrote can be read without models, as by logstore dump, and imported into a new store")
  }

  /// Reads a record; those of schemas come before it in the order of keys. Where a salvage lost the
  /// version's schema, nothing of it can be told.
  mutating func addModels(_ payload: [UInt8], key: [UInt8]) throws(StoreError) {
    try Self.checkFormat(payload, of: "models", known: Self.modelsFormat)
    let version = SchemaVersion(key.dropFirst().reduce(0) { $0 << 8 | UInt64($1) })
    guard key == Self.modelsKey(of: version) else {
      throw .malformedCatalog(reason: "models have a key of \(key.count) bytes")
    }
    let shape = shapes[version]
    do {
      models[version] = try payload.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        let format = try reader.readByte()
        guard (1...Self.modelsFormat).contains(format) else {
          throw BinaryDecodingError.invalidValue(offset: 0, reason: "unknown format of models")
        }
        var models: [TypeIdentity: RecordedModel] = [:]
        for _ in 0..<(try reader.readVariableLength(as: Int.self)) {
          guard let (type, model) = try Self.readModel(&reader, shape) else { continue }
          guard models.updateValue(model, forKey: type) == nil else {
            throw BinaryDecodingError.invalidValue(offset: reader.offset, reason: "a type twice")
          }
        }
        if format > 1 { try Self.readInside(&reader, of: &models) }
        if format > 2 { try Self.readLineages(&reader, of: &models) }
        try reader.expectEnd()
        return models
      }
    } catch { throw .malformedCatalog(reason: "\(error)") }
  }

  /// A model and its type; nothing when the version does not describe the type: an app that knows
  /// only a part of the store may have written the version's shape without it.
  private static func readModel(
    _ reader: inout ByteReader, _ shape: SchemaShape?
  ) throws -> (TypeIdentity, RecordedModel)? {
    let identity = TypeIdentity(
      introducedIn: SchemaVersion(try reader.readVariableLength()),
      originalName: try reader.readString())
    let type = shape?.type(identity)
    var members: [MemberShape?] = []
    // Each is looked for among all of the type.
    for _ in 0..<(try ShapeCoding.readCount(limit: SchemaLimits.memberCount, from: &reader)) {
      let member = try readMember(&reader)
      members.append(type?.members.first { $0.identity == member })
    }
    let payload = [UInt8](
      try reader.readBytes(try reader.readVariableLength(as: Int.self)))
    var model = RecordedModel()
    for _ in 0..<(try reader.readVariableLength(as: Int.self)) {
      let version = SchemaVersion(try reader.readVariableLength())
      model.sums[version] = ShapeFingerprint(
        high: try reader.readInteger(), low: try reader.readInteger())
    }
    guard let type else { return nil }
    // Beside a member whose type is not known, no value can be told from the next.
    let known = members.compactMap { $0 }
    guard known.count == members.count else { return (identity, model) }
    let values = try RecordPayload.decode(
      payload, key: RecordPayload.placeholderKey, shape: try carrier(of: known, in: type)
    ).dropFirst()
    for (member, value) in zip(known, values) { model.values[member.identity] = value }
    return (identity, model)
  }

  private static func readInside(
    _ reader: inout ByteReader, of models: inout [TypeIdentity: RecordedModel]
  ) throws {
    for _ in 0..<(try reader.readVariableLength(as: Int.self)) {
      let version = SchemaVersion(try reader.readVariableLength())
      for added in try RecordedVersion.readDefaultList(from: &reader) {
        models[added.type]?.inside[version, default: [:]][added.member] = added.value
      }
    }
  }

  private static func writeInside(
    _ models: [TypeIdentity: RecordedModel], to writer: inout ByteWriter
  ) {
    let versions = Set(models.values.flatMap(\.inside.keys)).sorted()
    writer.writeVariableLength(UInt64(versions.count))
    for version in versions {
      let added = models.flatMap { type, model in
        model.inside[version, default: [:]].map { member, value in
          MemberDefault(type: type, member: member, value: value)
        }
      }
      writer.writeVariableLength(version.rawValue)
      RecordedVersion.write(
        added.sorted { ($0.type, $0.member) < ($1.type, $1.member) }, to: &writer)
    }
  }

  /// A type of these members, as whose record their values are written.
  private static func carrier(
    of members: [MemberShape], in type: TypeShape
  ) throws(SchemaError) -> TypeShape {
    var name = "key"
    while members.contains(where: { $0.name == name }) { name += "x" }
    return try TypeShape(
      name: type.name, identity: type.identity, keyMember: name,
      members: [MemberShape(name, .int64)] + members)
  }

  mutating func writeModels(
    addedTo known: SchemaCatalog, into transaction: Transaction
  ) throws(StoreError) {
    for (version, models) in models.sorted(by: { $0.key < $1.key })
    where known.models[version] != models {
      guard let shape = shapes[version] else { continue }
      let payload = try StoreError.schema { () throws(SchemaError) in
        try Self.encoded(models, shape)
      }
      try put(Self.modelsKey(of: version), payload, into: transaction)
    }
  }

  private static func encoded(
    _ models: [TypeIdentity: RecordedModel], _ shape: SchemaShape
  ) throws(SchemaError) -> [UInt8] {
    let format: UInt8 =
      if models.values.contains(where: { $0.lineage != nil }) { modelsFormat } else {
        models.values.contains { !$0.inside.isEmpty } ? 2 : 1
      }
    var writer = ByteWriter()
    writer.writeByte(format)
    let described = models.sorted { $0.key < $1.key }.compactMap { identity, model in
      shape.type(identity).map { (type: $0, identity, model) }
    }
    writer.writeVariableLength(UInt64(described.count))
    for (type, identity, model) in described {
      writer.writeVariableLength(identity.introducedIn.rawValue)
      writer.writeString(identity.originalName)
      let members = type.members.filter { model.values[$0.identity] != nil }
      writer.writeVariableLength(UInt64(members.count))
      for member in members {
        write(member.identity, to: &writer)
      }
      let values = members.map { model.values[$0.identity] ?? .null }
      let payload = try RecordPayload.encode(
        [RecordPayload.placeholderKey] + values, shape: try carrier(of: members, in: type))
      writer.writeVariableLength(UInt64(payload.count))
      writer.writeBytes(payload)
      writer.writeVariableLength(UInt64(model.sums.count))
      for (version, sum) in model.sums.sorted(by: { $0.key < $1.key }) {
        writer.writeVariableLength(version.rawValue)
        writer.writeInteger(sum.high)
        writer.writeInteger(sum.low)
      }
    }
    if format > 1 { writeInside(models, to: &writer) }
    if format > 2 { writeLineages(models, to: &writer) }
    return writer.array()
  }
}

extension RecordPayload {
  /// A key for payloads that belong to no record; keys are not part of payloads.
  fileprivate static let placeholderKey = Value.int(0)
}
