internal import BinaryCoding
internal import SchemaRegistry

/// Where members come from, as versions of configurations recorded it (decision 143): in format 3
/// of their records behind what was added inside of embedded objects,
///
///     lineages := count { type names origins }
///     names    := count { name count { formerName } }
///     origins  := count { member member change }
extension SchemaCatalog {
  /// What members of a type were in the version before the one that introduced them, or in one from
  /// which a block brought them back.
  func origins(of type: TypeIdentity) -> [MemberIdentity: RecordedLineage.Origin] {
    var origins: [MemberIdentity: RecordedLineage.Origin] = [:]
    for (version, models) in models {
      for (member, origin) in models[type]?.lineage?.origins ?? [:] {
        origins[member] = RecordedLineage.Origin(
          identity: origin.identity, change: origin.change,
          isBroughtBack: version != member.introducedIn
            || newestVersion(of: type, before: version)
              .map { hasGivenUp(origin.identity, of: type, in: $0) } == true
        )
      }
    }
    return origins
  }

  /// Whether the type in a version has a member no more.
  func hasGivenUp(
    _ member: MemberIdentity, of type: TypeIdentity, in version: SchemaVersion
  ) -> Bool {
    shapes[version]?.type(type)?.members.contains { $0.identity == member } == false
  }

  /// Whether a version says where the members of a type come from that it introduced. Those of
  /// histories and of additive apps do by identities alone; libraries before decision 143 did not,
  /// nor does one whose record a salvage lost.
  func recordsOrigins(of type: TypeIdentity, in version: SchemaVersion) -> Bool {
    if ledger[version] != nil { return true }
    guard let models = models[version] else { return false }
    return models[type].map { $0.lineage != nil } ?? true
  }

  static func readLineages(
    _ reader: inout ByteReader, of models: inout [TypeIdentity: RecordedModel]
  ) throws {
    for _ in 0..<(try reader.readVariableLength(as: Int.self)) {
      let type = TypeIdentity(
        introducedIn: SchemaVersion(try reader.readVariableLength()),
        originalName: try reader.readString())
      var lineage = RecordedLineage()
      for _ in 0..<(try reader.readVariableLength(as: Int.self)) {
        let member = try reader.readString()
        var names: [String] = []
        for _ in 0..<(try reader.readVariableLength(as: Int.self)) {
          names.append(try reader.readString())
        }
        lineage.formerNames[member] = names
      }
      for _ in 0..<(try reader.readVariableLength(as: Int.self)) {
        let member = try readMember(&reader)
        let identity = try readMember(&reader)
        lineage.origins[member] = RecordedLineage.Origin(
          identity: identity,
          change: RecordedLineage.Change(rawValue: try reader.readByte()) ?? .unclear)
      }
      models[type]?.lineage = lineage
    }
  }

  static func writeLineages(
    _ models: [TypeIdentity: RecordedModel], to writer: inout ByteWriter
  ) {
    let lineages = models.sorted { $0.key < $1.key }
      .compactMap { type, model in model.lineage.map { (type, $0) } }
    writer.writeVariableLength(UInt64(lineages.count))
    for (type, lineage) in lineages {
      writer.writeVariableLength(type.introducedIn.rawValue)
      writer.writeString(type.originalName)
      writer.writeVariableLength(UInt64(lineage.formerNames.count))
      for (member, names) in lineage.formerNames.sorted(by: { $0.key < $1.key }) {
        writer.writeString(member)
        writer.writeVariableLength(UInt64(names.count))
        for name in names { writer.writeString(name) }
      }
      writer.writeVariableLength(UInt64(lineage.origins.count))
      for (member, origin) in lineage.origins.sorted(by: { $0.key < $1.key }) {
        write(member, to: &writer)
        write(origin.identity, to: &writer)
        writer.writeByte(origin.change.rawValue)
      }
    }
  }

  static func readMember(_ reader: inout ByteReader) throws -> MemberIdentity {
    MemberIdentity(
      introducedIn: SchemaVersion(try reader.readVariableLength()),
      originalName: try reader.readString())
  }

  static func write(_ member: MemberIdentity, to writer: inout ByteWriter) {
    writer.writeVariableLength(member.introducedIn.rawValue)
    writer.writeString(member.originalName)
  }
}
