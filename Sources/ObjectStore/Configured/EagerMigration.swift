internal import LogStore
internal import SchemaRegistry

/// Does what a migration block asks for, in the transaction that brings a store to a new version.
///
/// It sees the store as it was when the transaction began: what the block deletes or creates never
/// disturbs what it enumerates (R31). Memory does not grow with the number of objects, but for the
/// bits of ``NeededValues`` where there are any.
///
/// Not safe for several threads, and marked as if it were: a block and the closures that it passes
/// on run one after the other on the thread that opens the store, and nothing else has a reference.
final class EagerMigration: @unchecked Sendable {
  private let transaction: StoreTransaction
  private let before: Snapshot
  private let stored: SchemaShape
  private let models: DeclaredModels
  private let memberTypes: [String: MemberTypes]
  /// The types whose objects become those of the models; others are left as they are.
  private let types: Set<TypeIdentity>
  /// What the block asked for when it was called for each older version.
  private let noted: [SchemaVersion: Migration]
  /// Other names of stored members in old objects, by the names of types.
  private let aliases: [String: [String: String]]
  /// What the block must set, and has set, by the names of types.
  private var needed: [String: NeededValues]
  /// The current version where the store had it before: a block of it may have run for the models
  /// of another app, and what it made, and what apps wrote since, is not undone.
  private let reached: SchemaVersion?
  /// The types that the block emptied.
  private var emptied: Set<String> = []

  init(
    _ transaction: StoreTransaction, before: Snapshot, stored: SchemaShape, models: DeclaredModels,
    types: Set<TypeIdentity>, reached: SchemaVersion?, noted: [SchemaVersion: Migration]
  ) {
    self.reached = reached
    self.noted = noted
    let notes = noted[stored.version]?.notes
    needed = (notes?.needed ?? [:]).mapValues { NeededValues($0) }
    aliases = notes?.aliases ?? [:]
    self.transaction = transaction
    self.before = before
    self.stored = stored
    self.models = models
    memberTypes = models.memberTypes
    self.types = types
  }

  /// Runs `body` for the objects of a type.
  ///
  /// Those of a type that the models do not have can be looked at, and deleted; what is set in them
  /// comes to nothing, as an app that has their model will migrate them.
  func enumerate(
    _ type: String, _ body: Migration.ObjectClosure, migration: Migration
  ) {
    guard let old = stored.type(named: type) else { return }
    // What nobody asked for in the first run, as the models do not have it, is named by the block.
    let renames = migration.notes.renames.filter { $0.type == type }.map { ($0.from, $0.to) }
    let aliases =
      aliases[type]
      ?? RenamedMembers(old.members.map(\.name), renames: renames, isWanted: { _ in false }).aliases
    do {
      try walk(old) { place, key, record in
        var oldValues = try decoded(record, key, old)
        for (alias, member) in aliases { oldValues.values[alias] = oldValues.values[member] }
        let name = transaction.reader.schema.shape.type(old.identity)?.name ?? type
        guard let current = try transaction.object(ofType: name, key: oldValues.key) else { return }
        let oldObject = MigrationObject(
          shape: old, typeName: type, values: oldValues.values, isReadOnly: true)
        let newObject = MigrationObject(
          shape: current.shape, typeName: name, values: current.members, isReadOnly: false,
          swiftTypes: memberTypes[name] ?? .unknown)
        try body(oldObject, newObject)
        let isMigrated = types.contains(old.identity)
        if let fault = oldObject.fault ?? (isMigrated ? newObject.fault : nil) {
          throw MigrationStep.Mistake(description: fault)
        }
        if newObject.isDeleted {
          needed[type]?.settle(place)
        } else if isMigrated {
          needed[type]?.note(newObject.changed, at: place)
          try storeChanges(of: newObject)
        }
      }
    } catch { fail(migration, error) }
  }

  func create(_ type: String, _ value: [String: Any?], migration: Migration) -> MigrationObject? {
    do {
      let shape = try transaction.reader.schema.type(type)
      var values: [String: Value] = [:]
      let initial = try models.types.first { $0.name == type }?.newObject()
      for member in shape.members {
        // The block may set a member only after this: until then a placeholder stands in for it.
        // Not for its key, under which it is stored at once.
        values[member.name] =
          (member.name == shape.keyMember
            ? initial?.values[member.name] : initial?.newObjectValue(of: member.name)) ?? .null
      }
      let swiftTypes = memberTypes[type] ?? .unknown
      for (name, given) in value.sorted(by: { $0.key < $1.key }) {
        guard let member = shape.members.first(where: { $0.name == name }),
          let converted = Value(
            swiftValue: given, for: member.type, of: { swiftTypes.sign(of: name) })
        else {
          throw MigrationStep.Mistake(
            description: "create: \(type).\(name) is no member, or of another type, or cannot hold "
              + "the number exactly")
        }
        do throws(MemberTypes.Refusal) {
          values[name] = try swiftTypes.stored(converted, in: name)
        } catch {
          throw MigrationStep.Mistake(
            description:
              "create: \(type).\(name) is \(error.type), which cannot hold what was given")
        }
      }
      let object = MigrationObject(
        shape: shape, typeName: type, values: values, isReadOnly: false, swiftTypes: swiftTypes)
      guard try transaction.object(ofType: type, key: object.key) == nil else {
        if try wasMade(object.key, of: shape) { return nil }
        throw MigrationStep.Mistake(
          description: "create: there is a \(type) \(KeyCoding.text(of: object.key)) already")
      }
      try transaction.put(transaction.makeObject(ofType: type, values))
      object.didChange = { [weak self] object in
        guard let self, !object.isDeleted else { return }
        do {
          if let fault = object.fault { throw MigrationStep.Mistake(description: fault) }
          try self.storeChanges(of: object)
        } catch { self.fail(migration, error) }
      }
      return object
    } catch {
      fail(migration, error)
      return nil
    }
  }

  func delete(_ object: MigrationObject, migration: Migration) {
    object.isDeleted = true
    do {
      try transaction.delete(ofType: object.typeName, key: object.key)
    } catch { fail(migration, error) }
  }

  func deleteData(_ type: String, migration: Migration) -> Bool {
    guard let shape = transaction.reader.schema.shape.type(named: type) else { return false }
    do {
      try transaction.deleteAll(of: shape) { key throws(StoreError) in
        guard let record = try recordBefore(key, of: shape) else { return true }
        return empties(type, SchemaVersion(rawValue: record.schemaVersion))
      }
      emptied.insert(type)
    } catch { fail(migration, error) }
    return true
  }

  /// Whether the block deleted the objects of a type that were written under a version.
  func hasEmptied(_ type: String, _ version: SchemaVersion) -> Bool {
    emptied.contains(type) && empties(type, version)
  }

  /// Whether to delete all of a type deletes what was written under a version.
  ///
  /// What is newer than the block's version has passed that part of the block: it goes only where
  /// the block asks for it when it is called for that version, or for the next one known.
  private func empties(_ type: String, _ version: SchemaVersion) -> Bool {
    if version == reached { return false }
    guard version > stored.version else { return true }
    let passed = noted.filter { $0.key >= version }.min { $0.key < $1.key }
    return passed?.value.notes.emptied.contains(type) ?? false
  }

  /// Whether an object that a block is to make was there before in a store of later versions than
  /// the block's: a block may have made it for one of them.
  private func wasMade(_ key: Value, of shape: TypeShape) throws(StoreError) -> Bool {
    guard reached != nil || noted.keys.contains(where: { $0 > stored.version }) else {
      return false
    }
    return try recordBefore(key, of: shape) != nil
  }

  /// Writes what is left of the version under the current one: the block never runs for it again.
  /// Throws when it left out what it had to set, but for types that `isEmptied` tells to be empty.
  func finish(isEmptied: (String) -> Bool) throws {
    for type in stored.types where types.contains(type.identity) {
      guard let name = transaction.reader.schema.shape.type(type.identity)?.name,
        let collection = transaction.catalog.collections[type.identity]
      else { continue }
      let needed = isEmptied(name) ? nil : needed[name]
      try walk(type) { place, key, old in
        let record = try StoreError.log { () throws(LogError) in
          try transaction.transaction.record(for: key, in: collection)
        }
        guard let record else { return }
        let keyValue = try StoreError.schema { () throws(SchemaError) in
          try KeyCoding.decode(key, as: type.keyType)
        }
        let missing = try needed?.missing(at: place) { member in
          guard member.kept != nil else { return false }
          return member.isKept(from: try decoded(old, key, type).values)
        }
        if let missing {
          throw MigrationStep.Mistake(
            description: "\(name) \(KeyCoding.text(of: keyValue)): \(missing.mistake)")
        }
        guard record.schemaVersion == stored.version.rawValue else { return }
        if let object = try transaction.object(ofType: name, key: keyValue) {
          try transaction.put(object)
        }
      }
    }
  }

  /// What was stored under a key when the transaction began.
  private func recordBefore(_ key: Value, of shape: TypeShape) throws(StoreError) -> StoredRecord? {
    guard let collection = transaction.reader.catalog.collections[shape.identity] else {
      return nil
    }
    let bytes = try StoreError.schema { () throws(SchemaError) in
      try KeyCoding.encode(key, as: shape.keyType)
    }
    return try StoreError.log { () throws(LogError) in
      try before.record(for: bytes, in: collection)
    }
  }

  /// Stores what was set in an object, and nothing else of it: other calls of the block may have
  /// changed it since it was read, or deleted it, and then it stays deleted.
  private func storeChanges(of object: MigrationObject) throws {
    if object.changed.isEmpty { return }
    let current = try transaction.object(ofType: object.typeName, key: object.key)
    guard var values = current?.members else { return }
    for name in object.changed { values[name] = object.values[name] }
    try transaction.put(transaction.makeObject(ofType: object.typeName, values))
  }

  /// Runs `body` for the objects of a type that were written under the block's version, with the
  /// place of each among them.
  private func walk(
    _ type: TypeShape, _ body: (Int, [UInt8], StoredRecord) throws -> Void
  ) throws {
    guard let collection = transaction.reader.catalog.collections[type.identity] else { return }
    let records = try StoreError.log { () throws(LogError) in
      try before.records(in: collection)
    }
    var place = 0
    while let next = try StoreError.log({ () throws(LogError) in try records.next() }) {
      guard next.record.schemaVersion == stored.version.rawValue else { continue }
      try body(place, next.key, next.record)
      place += 1
    }
  }

  private func decoded(
    _ record: StoredRecord, _ key: [UInt8], _ shape: TypeShape
  ) throws -> (key: Value, values: [String: Value]) {
    let keyValue = try KeyCoding.decode(key, as: shape.keyType)
    let values = try RecordPayload.decode(record.payload, key: keyValue, shape: shape)
    return (
      keyValue,
      Dictionary(
        zip(shape.members.map(\.name), values), uniquingKeysWith: { first, _ in first })
    )
  }

  private func fail(_ migration: Migration, _ error: any Error) {
    migration.note(
      error as? StoreError
        ?? .migrationBlockFailed(fromVersion: stored.version, reason: "\(error)"))
  }
}
