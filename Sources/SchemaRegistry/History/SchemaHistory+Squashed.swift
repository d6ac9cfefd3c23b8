internal import BinaryCoding

/// Histories without the versions that nobody needs any more.
extension SchemaHistory {
  /// The same history from `floor` on, once no record is older; ids and fingerprints stay.
  ///
  /// The new base remembers what stores may still know of the versions before: the fingerprints
  /// that the floor had before revisions of code were raised, and which types were removed.
  /// - Throws: ``SchemaError/invalidHistory(_:)`` also where what is left is no valid history, as
  ///   the members of a base cannot be declared as operations left them.
  public func squashed(floor: SchemaVersion) throws(SchemaError) -> SchemaHistory {
    try squashed(floor: floor, metByStores: [])
  }

  /// The same for stores that recorded `ledgers`: with the fingerprints that these have, which
  /// nobody could tell of revisions that are dates, or of too many that were raised.
  package func squashed(
    floor: SchemaVersion, metByStores ledgers: [[SchemaVersion: RecordedVersion]]
  ) throws(SchemaError) -> SchemaHistory {
    let shape = try shape(at: floor)
    let meanings = derived[floor]?.meanings ?? SortedTable()
    let fingerprint = try fingerprint(at: floor)
    var former = formerFingerprints(through: floor)[floor]?.sorted(without: fingerprint) ?? []
    for ledger in ledgers {
      guard let met = ledger[floor]?.fingerprint, met != fingerprint, !former.contains(met),
        comparison(with: ledger).edited.isEmpty
      else { continue }
      former.append(met)
    }
    let squashed = SchemaHistory(
      base: Base(
        version: floor,
        types: shape.types.map { type in
          Type(
            type,
            meanings: (meanings[type.identity] ?? [:]).mapValues {
              MemberMeaning($0, in: shape)
            })
        },
        fingerprint: fingerprint,
        formerFingerprints: former,
        removedTypes: removedTypes(through: floor).sorted()),
      versions: versions.filter { $0.number > floor }, allowsGaps: allowsGaps)
    try squashed.validate()
    return squashed
  }

  /// The types that versions up to `floor` had, and that one does not.
  private func removedTypes(through floor: SchemaVersion) -> Set<TypeIdentity> {
    var types = Set(base.removedTypes)
    for version in derived.values where version.shape.version <= floor {
      types.formUnion(version.shape.types.map(\.identity))
    }
    return types.subtracting(derived[floor]?.shape.types.map(\.identity) ?? [])
  }
}
