internal import LogStore
internal import SchemaRegistry

/// What is known of objects that cannot be upgraded.
extension UpgradingReader {
  /// What a member of the current shape holds in a record, whether its upgrade fails because of
  /// others or not; nothing where that is not known.
  ///
  /// An index that was made before the failing step holds the same: it is asked only where no later
  /// version changes the member.
  func knownValue(
    ofMember member: Int, in record: StoredRecord, key: [UInt8],
    in collection: CollectionIdentifier, of type: TypeShape
  ) -> Value? {
    let version = SchemaVersion(rawValue: record.schemaVersion)
    let place = KnownMembers.Place(collection: collection, version: version, member: member)
    let way = knownMembers.way(place) {
      (try? makeWay(to: type.members[member], in: version, of: type.identity)) ?? .unknown
    }
    // Whatever is wrong here is told by who upgrades the object.
    switch way {
    case .unknown: return nil
    case .stored(let shape, let member):
      return try? record.payload.withBytes { (bytes: UnsafeRawBufferPointer) throws in
        try RecordPayload.value(
          ofMember: member, in: bytes, key: try decodeKey(key, shape), shape: shape)
      }
    case .computed(let plan, let member):
      return try? plan.valueAlone(
        ofMember: member, in: record.payload, key: key,
        committedAt: record.commitTime.secondsSince1970)
    }
  }

  private func makeWay(
    to member: MemberShape, in version: SchemaVersion, of type: TypeIdentity
  ) throws(SchemaError) -> KnownMembers.Way {
    let catalog = catalog
    guard let source = catalog.shapes[version]?.type(type), let target = schema.shape.type(type)
    else { return .unknown }
    if version > schema.version {
      guard schema.newer?.changesValues(of: target, in: catalog) != true else { return .unknown }
      return Self.storedWay(to: member, in: source)
    }
    guard let history = schema.history(from: version), history.knows(type) else { return .unknown }
    let first = schema.isAdditive ? max(version, history.base.version) : version
    let changed = history.lastChange(
      of: member.identity, in: type, after: first, through: schema.version)
    guard let changed else { return Self.storedWay(to: member, in: source) }
    guard let shape = try history.shape(at: changed).type(type),
      let place = Self.place(of: member, in: shape)
    else { return .unknown }
    let plan = try history.upgradePlan(
      for: type, from: first, source: source, to: changed, target: shape,
      checkingPurity: schema.checksPurity)
    return .computed(plan, member: place)
  }

  private static func storedWay(to member: MemberShape, in shape: TypeShape) -> KnownMembers.Way {
    place(of: member, in: shape).map { .stored(shape, member: $0) } ?? .unknown
  }

  private static func place(of member: MemberShape, in shape: TypeShape) -> Int? {
    shape.members.firstIndex {
      $0.identity == member.identity && IndexedValueCoding.isAlike($0.type, member.type)
    }
  }
}
