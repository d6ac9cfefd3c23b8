import Foundation
import ObjectStore
import StorageTestSupport
import Testing

/// The examples of Realm's documentation do here what they say, lazily and at open.
@Suite("Examples of Realm's documentation", .serialized)
struct SeedExampleTests {
  typealias Timing = Store.Configuration.MigrationTiming
  static let timings: [Timing] = [.onRead, .atOpen]

  let directory: TemporaryDirectory
  var path: String { directory.path + "/people.logstore" }

  init() throws { directory = try TemporaryDirectory() }

  func fill<Model: StorableObject>(version: UInt64, _ objects: [Model]) throws {
    let store = try Store(
      configuration: Store.Configuration(path: path, models: [Model.self], schemaVersion: version))
    try store.write { transaction in for object in objects { try transaction.put(object) } }
    try store.close()
  }

  func all<Model: StorableObject>(
    _ model: Model.Type, version: UInt64, timing: Timing = .onRead,
    _ block: Store.Configuration.MigrationClosure? = nil
  ) throws -> [Model] {
    let store = try Store(
      configuration: Store.Configuration(
        path: path, models: [model], schemaVersion: version, migrationBlock: block,
        migrationTiming: timing))
    defer { try? store.close() }
    let cursor = try store.snapshot().objects(model)
    var objects: [Model] = []
    while let object = try cursor.next() { objects.append(object) }
    return objects
  }

  static let people = [
    SeedModels.Names(id: 1, firstName: "Ada", lastName: "Lovelace", age: 36),
    SeedModels.Names(id: 2, firstName: "Alan", lastName: "Turing", age: 41),
  ]

  @Test("The minimal block: new and removed members are found, and nothing else changes")
  func minimal() throws {
    try fill(version: 0, Self.people)
    let found = try all(SeedModels.FullName.self, version: 1) { migration, oldSchemaVersion in
      if oldSchemaVersion < 1 {
        // Nothing to do!
      }
    }
    #expect(
      found == [.init(id: 1, fullName: "", age: 36), .init(id: 2, fullName: "", age: 41)])
  }

  @Test("Names are combined into one", arguments: timings)
  func combine(timing: Timing) throws {
    try fill(version: 0, Self.people)
    let found = try all(SeedModels.FullName.self, version: 1, timing: timing) {
      migration, oldSchemaVersion in
      if oldSchemaVersion < 1 {
        migration.enumerateObjects(ofType: "Person") { oldObject, newObject in
          let firstName = oldObject!["firstName"] as! String
          let lastName = oldObject!["lastName"] as! String
          newObject!["fullName"] = "\(firstName) \(lastName)"
        }
      }
    }
    #expect(found.map(\.fullName) == ["Ada Lovelace", "Alan Turing"])
    #expect(found.map(\.age) == [36, 41])
  }

  @Test("The same from version 1 to 2, with optional casts", arguments: timings)
  func combineLater(timing: Timing) throws {
    try fill(version: 1, Self.people)
    let found = try all(SeedModels.FullName.self, version: 2, timing: timing) {
      migration, oldSchemaVersion in
      if oldSchemaVersion < 2 {
        migration.enumerateObjects(ofType: "Person") { oldObject, newObject in
          let firstName = oldObject!["firstName"] as? String
          let lastName = oldObject!["lastName"] as? String
          newObject!["fullName"] = "\(firstName!) \(lastName!)"
        }
      }
    }
    #expect(found.map(\.fullName) == ["Ada Lovelace", "Alan Turing"])
  }

  @Test("A property is renamed, and keeps its values", arguments: timings)
  func rename(timing: Timing) throws {
    try fill(
      version: 0,
      [SeedModels.YearsSinceBirth(id: 1, firstName: "a", lastName: "b", yearsSinceBirth: 9)])
    let found = try all(SeedModels.Names.self, version: 1, timing: timing) {
      migration, oldSchemaVersion in
      if oldSchemaVersion < 1 {
        migration.renameProperty(onType: "Person", from: "yearsSinceBirth", to: "age")
      }
    }
    #expect(found.map(\.age) == [9])
    #expect(found.map(\.firstName) == ["a"])
  }

  /// Every step of the third version: what JP runs release by release, and Tim at once.
  static let linear: Store.Configuration.MigrationClosure = { migration, oldSchemaVersion in
    if oldSchemaVersion < 3 {
      migration.renameProperty(onType: "Person", from: "yearsSinceBirth", to: "age")
    }
    migration.enumerateObjects(ofType: "Person") { oldObject, newObject in
      if oldSchemaVersion < 1 {
        newObject!["fullName"] = "\(oldObject!["firstName"]!) \(oldObject!["lastName"]!)"
      }
      if oldSchemaVersion < 2 { newObject!["email"] = "" }
    }
  }

  @Test("A block that goes through three versions", arguments: timings)
  func threeVersions(timing: Timing) throws {
    try fill(
      version: 0,
      [SeedModels.YearsSinceBirth(id: 1, firstName: "a", lastName: "b", yearsSinceBirth: 9)])
    let found = try all(
      SeedModels.FullNameAndEmail.self, version: 3, timing: timing, Self.linear)
    #expect(found == [.init(id: 1, fullName: "a b", email: "", age: 9)])
  }

  @Test("A rename within enumerateObjects, where it must not stand, is told and loses nothing")
  func misplacedRename() throws {
    try fill(
      version: 0,
      [SeedModels.YearsSinceBirth(id: 1, firstName: "a", lastName: "b", yearsSinceBirth: 9)])
    #expect(throws: StoreError.self) {
      try all(SeedModels.FullNameAndEmail.self, version: 3) { migration, oldSchemaVersion in
        migration.enumerateObjects(ofType: "Person") { oldObject, newObject in
          if oldSchemaVersion < 3 {
            migration.renameProperty(onType: "Person", from: "yearsSinceBirth", to: "age")
          }
        }
      }
    }
    let found = try all(SeedModels.FullNameAndEmail.self, version: 3, Self.linear)
    #expect(found.map(\.age) == [9])
  }

  @Test("An email that went away and came back is empty, when the release between wrote")
  func deletedAndBack() throws {
    let block: Store.Configuration.MigrationClosure = { _, _ in }
    try fill(
      version: 1,
      [SeedModels.FullNameAndEmail(id: 1, fullName: "JP", email: "jp@old", age: 1)])
    // JP's second version has no email; it writes another object.
    try fill(version: 2, [SeedModels.FullName(id: 2, fullName: "Kim", age: 2)])
    let found = try all(SeedModels.FullNameAndEmail.self, version: 3, block)
    #expect(found.map(\.email) == ["nobody@example.com", "nobody@example.com"])
  }

  @Test("The same for one who skipped that release: the block nils it out", arguments: timings)
  func deletedAndBackAtOnce(timing: Timing) throws {
    try fill(
      version: 1,
      [SeedModels.FullNameAndEmail(id: 1, fullName: "Tim", email: "tim@old", age: 1)])
    let found = try all(SeedModels.FullNameAndEmail.self, version: 3, timing: timing) {
      migration, oldSchemaVersion in
      if oldSchemaVersion < 3 {
        migration.enumerateObjects(ofType: "Person") { _, newObject in newObject!["email"] = nil }
      }
    }
    #expect(found == [.init(id: 1, fullName: "Tim", email: nil, age: 1)])
  }

  /// The whole block of the last example.
  static let splitting: Store.Configuration.MigrationClosure = { migration, oldSchemaVersion in
    if oldSchemaVersion < 1 {
      migration.enumerateObjects(ofType: "Person") { (_, newPerson) in
        newPerson?["email"] = ""
      }
    }
    if oldSchemaVersion < 2 {
      migration.renameProperty(onType: "Person", from: "name", to: "fullName")
    }
    if oldSchemaVersion < 3 {
      migration.enumerateObjects(ofType: "Person") { (oldPerson, newPerson) in
        guard let fullname = oldPerson?["fullName"] as? String else {
          throw SplitError()
        }
        let nameComponents = fullname.components(separatedBy: " ")
        if nameComponents.count == 2 {
          newPerson?["firstName"] = nameComponents.first
          newPerson?["lastName"] = nameComponents.last
        } else {
          newPerson?["firstName"] = fullname
        }
      }
    }
  }

  struct SplitError: Error {}

  @Test(
    "Email added, name renamed, then split: the same from every version before",
    arguments: timings, 0...2)
  func splitFromAnyVersion(timing: Timing, version: UInt64) throws {
    switch version {
    case 0:
      try fill(
        version: 0,
        [
          SeedModels.Name(id: 1, name: "Ada Lovelace", age: 36),
          SeedModels.Name(id: 2, name: "Plato", age: 80),
        ])
    case 1:
      try fill(
        version: 1,
        [
          SeedModels.NameAndEmail(id: 1, name: "Ada Lovelace", age: 36, email: ""),
          SeedModels.NameAndEmail(id: 2, name: "Plato", age: 80, email: ""),
        ])
    default:
      try fill(
        version: 2,
        [
          SeedModels.FullNameAndEmail(id: 1, fullName: "Ada Lovelace", email: "", age: 36),
          SeedModels.FullNameAndEmail(id: 2, fullName: "Plato", email: "", age: 80),
        ])
    }
    let found = try all(
      SeedModels.FirstAndLastName.self, version: 3, timing: timing, Self.splitting)
    #expect(
      found == [
        .init(id: 1, firstName: "Ada", lastName: "Lovelace", age: 36, email: ""),
        .init(id: 2, firstName: "Plato", lastName: nil, age: 80, email: ""),
      ])
  }

  @Test("The default configuration is what a store is opened with that is given none")
  func defaultConfiguration() throws {
    try fill(version: 0, Self.people)
    let before = Store.Configuration.defaultConfiguration
    defer { Store.Configuration.defaultConfiguration = before }
    var configuration = Store.Configuration(path: path, models: [SeedModels.FullName.self])
    configuration.schemaVersion = 1
    configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Person") { old, new in new?["fullName"] = old?["lastName"]
      }
    }
    Store.Configuration.defaultConfiguration = configuration
    let store = try Store()
    #expect(try store.snapshot().get(SeedModels.FullName.self, 2)?.fullName == "Turing")
    try store.close()
  }
}
