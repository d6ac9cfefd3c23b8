public import LogStore
public import SchemaRegistry

/// Why a store refused or failed a request.
public enum StoreError: Error, Equatable, Sendable {
  /// The log: files, locks, corruption, limits.
  case log(LogError)
  /// The schema: versions, shapes, upgrades, values.
  case schema(SchemaError)
  /// The Swift type was not among the models that the store was opened with.
  case unregisteredModel(type: String)
  /// The catalog, which describes the stored types, cannot be read.
  case malformedCatalog(reason: String)
  /// The catalog holds something that only a newer version of this library knows.
  case newerCatalog(reason: String)
  /// Barriers have to run first that are too much for an opening, or the store is read only.
  case barrierPending(BarrierEstimate)
  /// The progress of an opening was answered with an end; nothing of any barrier has happened.
  case barrierCancelled(operationID: String)
  /// A value of another type than the member has was given as key.
  case keyTypeMismatch(type: String, expected: FieldType)
  /// Objects cannot be looked up in this way by a member: the type has none of that name, or values
  /// of another type were given.
  case invalidLookup(type: String, member: String, reason: String)
  /// A model declares an index that there cannot be.
  case invalidIndex(type: String, member: String, reason: String)
  /// A member's values have no order, so that objects cannot be looked up by them.
  case notIndexable(type: String, member: String, holds: FieldType)
  /// An object's key leaves no room for the value of an indexed member in the keys of the index.
  case keyTooLongForIndex(type: String, member: String, byteCount: Int, maximum: Int)
  /// An object was inserted whose key another one has.
  case alreadyExists(type: String, keyText: String)
  /// Another object has this value of a unique member; `keyText` is its key.
  case notUnique(type: String, member: String, keyText: String)
  /// An object was written whose list of embedded objects differs from the one before, by an app
  /// that does not know all members of them: what they hold besides could belong to another;
  /// `keyText` is the object's key.
  case elementsNotToldApart(type: String, keyText: String, member: String)
  /// Settings of a configuration cannot be had together.
  case conflictingSettings(String)
  /// The store is open in this process, with another value of a setting.
  case openWithOtherSettings(path: String, setting: String)
  /// The store is being opened by this thread, by its migration block, or by another one that may
  /// wait for this one.
  case openedByItsOwnMigration(path: String)
  /// A migration block opens a store that another thread is opening or closing; the two could wait
  /// for each other for ever.
  case openedByAnotherOpening(path: String)
  /// A change of a model that only a migration block can make sense of; `from` is nothing for a new
  /// member without an initial value, or with one that differs from one object to the next.
  case migrationNeeded(
    type: String, member: String, from: FieldType?, to: FieldType, version: SchemaVersion)
  /// The primary key of a model is another member, or holds another type, than that of the objects
  /// of an older version; only a history can change it.
  case primaryKeyChanged(
    type: String, from: String, held: FieldType, to: String, holds: FieldType,
    version: SchemaVersion)
  /// The models of a configuration changed, and their version did not.
  case modelsChanged(version: SchemaVersion, differences: [SchemaDifference])
  /// A migration block names a type that neither the models nor any version of the store have.
  case unknownMigrationType(call: String, type: String, known: [String])
  /// A migration block renames a member that objects of `version` do not have, or to a name that
  /// neither the models nor any version of the store have, and that no code reads.
  case unknownRename(
    type: String, from: String, to: String, missing: String, version: SchemaVersion)
  /// A member of objects of `version` would get the name of another one that they have: values
  /// would be lost, or nobody can tell which of the two is meant. A former name says so, or else a
  /// migration block.
  case renamedOntoMember(
    type: String, from: String, to: String, version: SchemaVersion, isFormerName: Bool)
  /// A call that a migration block must make at another place, or with other settings.
  case misplacedMigrationCall(_ call: String, _ place: String)
  /// A migration block threw, or made a mistake with an object.
  case migrationBlockFailed(fromVersion: SchemaVersion, reason: String)
  /// A history cannot begin at this version yet: stores or backups need what is before it, or are
  /// not of this history.
  case floorTooHigh(SchemaVersion, obstacles: [FloorObstacle])
  /// A store could not be copied or set aside.
  case copyFailed(path: String, reason: String)
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .conflictingSettings, .openWithOtherSettings, .openedByItsOwnMigration,
      .openedByAnotherOpening, .migrationNeeded, .primaryKeyChanged, .modelsChanged,
      .unknownMigrationType, .unknownRename, .renamedOntoMember, .misplacedMigrationCall,
      .migrationBlockFailed, .copyFailed:
      configurationDescription
    case .log(let error): error.description
    case .schema(let error): error.description
    case .unregisteredModel(let type):
      "\(type) was not among the models when the store was opened; add it to `models:`"
    case .malformedCatalog(let reason):
      "the catalog of the store cannot be read: \(reason); nothing was changed. "
        + "Verify the store, and restore it from a backup"
    case .newerCatalog(let reason):
      "a newer version of this library wrote the catalog of the store: \(reason); nothing was "
        + "changed. Update the app"
    case .barrierPending(let estimate):
      "\(estimate.operationIDs.joined(separator: ", ")) must run over \(estimate.recordCount) "
        + "records (\(estimate.byteCount) bytes) before the store can be used; nothing was "
        + "changed. Show progress, and open it for writing with `barriers.byteCountMaximum` "
        + "set to .max; `logstore compact --history` does so"
    case .barrierCancelled(let id):
      "\(id) was cancelled and nothing of it has happened; open the store again to run it"
    case .keyTypeMismatch(let type, let expected):
      "the key of \(type) is \(expected); look it up with a value of that type"
    case .invalidLookup(let type, let member, let reason):
      "objects of \(type) cannot be looked up by \(member): \(reason)"
    case .invalidIndex(let type, let member, let reason):
      "\(type) declares an index of \(member) that there cannot be: \(reason)"
    case .notIndexable(let type, let member, let holds):
      "\(type).\(member) holds \(holds), by which objects cannot be looked up; "
        + "choose a bool, a number, a text, bytes, a date or a UUID, or a list or set of these"
    case .keyTooLongForIndex(let type, let member, let byteCount, let maximum):
      "an object of \(type) has a key of \(byteCount) bytes, and beside its value of the indexed "
        + "member \(member) there is room for \(maximum); nothing was changed. Choose a shorter "
        + "key, or take the index away"
    case .alreadyExists(let type, let keyText):
      "there is a \(type) \(keyText) already; the object was not stored. Put it to replace that "
        + "one, or choose another key"
    case .notUnique(let type, let member, let keyText):
      "\(type) \(keyText) has this value of the unique member \(member) already; the object was "
        + "not stored. Choose another value, or change or delete that object first"
    case .elementsNotToldApart(let type, let keyText, let member):
      "the elements of \(member) in \(type) \(keyText) hold members that this app does not know, "
        + "and were changed so that it cannot be told which holds what; nothing was changed. In "
        + "one write only add, only take away or only move elements; or let elementKey name a "
        + "member in which no two of them have the same"
    case .floorTooHigh(let floor, let obstacles):
      "the history cannot begin at version \(floor) yet:"
        + obstacles.map { "\n  \($0)" }.joined()
        + "\nNothing was changed. Migrate stores that need more with the whole history, as "
        + "`logstore compact --history` does, and take new backups in place of the old"
        + (obstacles.compactMap(\.highestFloor).min().map {
          "; or choose a floor of at most \($0)"
        } ?? "")
    }
  }
}
