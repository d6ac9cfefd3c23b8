import FileIO
import ObjectStore
import Testing

/// Older apps and what newer versions changed inside of embedded objects: read, written, and
/// nothing lost that only the newer ones know.
@Suite struct InnerWayBackTests {
  static let spot = FieldType.object([
    MemberShape("x", .int32), MemberShape("y", .optional(.int32)),
  ])
  static let room = FieldType.object([
    MemberShape("name", .string), MemberShape("size", .int32), MemberShape("at", .optional(spot)),
  ])
  static let base = Base(0) {
    Type("House", key: "id") {
      Field("id", .int64)
      Field("hall", room, inside: ["name": .cases(["hall", "entry"])])
      Field("attic", .optional(room))
      Field("rooms", .list(room))
      Field("flats", .dictionary(room))
    }
  }
  static let older = SchemaHistory { base }
  /// Everything that older apps may do all with.
  static let newer = SchemaHistory {
    base
    Version(1) {
      On("House") {
        On("hall") {
          AddCases("name", ["porch"], readAs: "entry")
          Rename("size", to: "area")
          Add("height", .int32, default: 3)
          Add("note", .optional(.string))
        }
        On("attic") {
          MakeOptional("size", readAs: 0)
          On("at") {
            Rename("x", to: "left")
            Add("z", .int64, default: 9)
          }
        }
        Each("rooms") { Add("height", .int32, default: 3) }
        Each("flats") {
          Rename("name", to: "title")
          Add("height", .int32, default: 3)
        }
      }
    }
    Version(2) {
      On("House") {
        Rename("hall", to: "lobby")
        On("lobby") {
          Rename("area", to: "surface")
          Remove("at")
        }
        Each("flats") { Add("door", .string, default: "left") }
      }
    }
  }

  static func room(_ name: String, _ size: Value = 1, at: Value = .null) -> Value {
    .object(["name": .string(name), "size": size, "at": at])
  }

  static let stored: [String: Value] = [
    "id": 1,
    "lobby": .object(["name": "porch", "surface": 5, "height": 4, "note": "n"]),
    "attic": .object([
      "name": "top", "size": .null, "at": .object(["left": 1, "y": 2, "z": 3]),
    ]),
    "rooms": .list([
      .object(["name": "a", "size": 1, "at": .null, "height": 7]),
      .object(["name": "b", "size": 2, "at": .object(["x": 1, "y": .null]), "height": 8]),
      .object(["name": "a", "size": 1, "at": .null, "height": 9]),
    ]),
    "flats": .dictionary([
      "1": .object(["title": "one", "size": 1, "at": .null, "height": 6, "door": "right"])
    ]),
  ]
  static let seen: [String: Value] = [
    "id": 1, "hall": room("entry", 5),
    "attic": room("top", 0, at: .object(["x": 1, "y": 2])),
    "rooms": .list([room("a"), room("b", 2, at: .object(["x": 1, "y": .null])), room("a")]),
    "flats": .dictionary(["1": room("one")]),
  ]

  static func makeStore(_ values: [String: Value] = stored) throws -> InMemoryFileSystem {
    let fileSystem = InMemoryFileSystem()
    let store = try NewerStoreTests.open(fileSystem, newer)
    try NewerStoreTests.put(store, "House", values)
    try store.close()
    return fileSystem
  }

  /// What the newer app has after the older one wrote `changes`.
  static func written(_ changes: [String: Value]) throws -> [String: Value]? {
    let fileSystem = try makeStore()
    var store = try NewerStoreTests.open(fileSystem, older)
    try NewerStoreTests.put(store, "House", seen.merging(changes) { _, new in new })
    let readAgain = try NewerStoreTests.get(store, "House", 1)
    #expect(readAgain?.members == seen.merging(changes) { _, new in new })
    try store.close()
    store = try NewerStoreTests.open(fileSystem, newer)
    defer { try? store.close() }
    return try NewerStoreTests.get(store, "House", 1)?.members
  }

  static func expectWritten(
    _ changes: [String: Value], gives expected: [String: Value],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(
      try written(changes) == stored.merging(expected) { _, new in new },
      sourceLocation: sourceLocation)
  }

  static func refusal(_ changes: [String: Value]) throws -> String? {
    let store = try NewerStoreTests.open(try makeStore(), older)
    do {
      try NewerStoreTests.put(store, "House", seen.merging(changes) { _, new in new })
    } catch StoreError.schema(.writtenByNewer(_, _, let reason)) {
      // Nothing was changed.
      #expect(try NewerStoreTests.get(store, "House", 1)?.members == seen)
      try store.close()
      return reason
    }
    try store.close()
    return nil
  }

  @Test("They are read by ways back, over several versions and levels")
  func reads() throws {
    #expect(Self.newer.issues == [])
    let house = TypeIdentity(introducedIn: 0, originalName: "House")
    #expect(Self.newer.forwardGrade(of: house, since: 0) == .full)
    #expect(try Self.newer.check(.forward, since: 0) == [])
    let store = try NewerStoreTests.open(try Self.makeStore(), Self.older)
    #expect(try NewerStoreTests.get(store, "House", 1)?.members == Self.seen)
    try store.close()
  }

  @Test("What an older app does not change stays as the newer has it, to the last member")
  func unchanged() throws {
    try Self.expectWritten([:], gives: [:])
  }

  @Test("What it changes in a single object goes into that; the rest of the object stays")
  func single() throws {
    try Self.expectWritten(
      ["hall": Self.room("hall", 6)],
      gives: ["lobby": .object(["name": "hall", "surface": 6, "height": 4, "note": "n"])])
    // What is read for a new case, and for nil, stays what it is.
    try Self.expectWritten(
      ["hall": Self.room("entry", 6)],
      gives: ["lobby": .object(["name": "porch", "surface": 6, "height": 4, "note": "n"])])
    try Self.expectWritten(
      ["attic": Self.room("up", 0, at: .object(["x": 7, "y": .null]))],
      gives: [
        "attic": .object([
          "name": "up", "size": .null, "at": .object(["left": 7, "y": .null, "z": 3]),
        ])
      ])
    try Self.expectWritten(["attic": .null], gives: ["attic": .null])
  }

  @Test("New objects get what the newer versions added; so do those inside of them")
  func created() throws {
    try Self.expectWritten(
      ["flats": .dictionary(["1": Self.room("uno"), "2": Self.room("two", 2)])],
      gives: [
        "flats": .dictionary([
          "1": .object(["title": "uno", "size": 1, "at": .null, "height": 6, "door": "right"]),
          "2": .object(["title": "two", "size": 2, "at": .null, "height": 3, "door": "left"]),
        ])
      ])
    let fileSystem = try Self.makeStore(Self.stored.merging(["attic": .null]) { _, new in new })
    var store = try NewerStoreTests.open(fileSystem, Self.older)
    try NewerStoreTests.put(
      store, "House",
      Self.seen.merging(["attic": Self.room("new", 4, at: .object(["x": 5, "y": 6]))]) { $1 })
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.newer)
    #expect(
      try NewerStoreTests.get(store, "House", 1)?.members["attic"]
        == .object(["name": "new", "size": 4, "at": .object(["left": 5, "y": 6, "z": 9])]))
    try store.close()
  }

  @Test("Elements of lists are those that look the same, wherever they are; new ones are new")
  func lists() throws {
    let (a, b) = (Self.room("a"), Self.room("b", 2, at: .object(["x": 1, "y": .null])))
    guard case .list(let old)? = Self.stored["rooms"] else { return }
    try Self.expectWritten(
      ["rooms": .list([b, a, a])], gives: ["rooms": .list([old[1], old[0], old[2]])])
    try Self.expectWritten(
      ["rooms": .list([Self.room("c"), a, b, a, a])],
      gives: [
        "rooms": .list([
          .object(["name": "c", "size": 1, "at": .null, "height": 3]), old[0], old[1], old[2],
          .object(["name": "a", "size": 1, "at": .null, "height": 3]),
        ])
      ])
    try Self.expectWritten(["rooms": .list([a, a])], gives: ["rooms": .list([old[0], old[2]])])
    // One of two that look alike, and one that was changed or replaced.
    #expect(
      try Self.refusal(["rooms": .list([a, b])])
        == "rooms of 1 cannot be changed so: an element of it was changed or replaced, and cannot "
        + "be told from the others")
    #expect(try Self.refusal(["rooms": .list([a, Self.room("b", 3), a])]) != nil)
  }

  @Test("A value that is no case there is refused, inside as outside")
  func cases() throws {
    #expect(
      try Self.refusal(["hall": Self.room("garage", 5)])
        == "hall of 1 cannot be changed so: this string is no case there")
  }

  @Test("What leads back but not forward is read only; what does not lead back is refused")
  func grades() throws {
    func history(@OperationBuilder _ inner: () -> [RecordOperation]) -> SchemaHistory {
      SchemaHistory(
        base: Self.base,
        versions: [
          Version(
            number: 1,
            changes: [
              .records(
                type: "House",
                operations: [.embedded(member: "rooms", each: true, operations: inner())])
            ])
        ])
    }
    let house = TypeIdentity(introducedIn: 0, originalName: "House")
    let readOnly = history {
      Convert(
        "size", to: .string, ValueExpression.member("size").toString,
        inverse: .mapped(.member("size"), [CaseMapping(from: "1", to: 1)], otherwise: .constant(0)))
      Remove("at", readAs: .constant(.null))
      Split(
        "name", into: "first", "last", at: " ",
        inverse: .join([.member("first"), .member("last")], separator: " "))
      Rename("last", to: "family")
    }
    #expect(readOnly.issues == [])
    #expect(readOnly.forwardGrade(of: house, since: 0) == .readOnly)
    let fileSystem = InMemoryFileSystem()
    var store = try NewerStoreTests.open(fileSystem, readOnly)
    try NewerStoreTests.put(
      store, "House",
      [
        "id": 1, "hall": Self.room("hall"), "attic": .null, "flats": .dictionary([:]),
        "rooms": .list([.object(["size": "1", "first": "big", "family": "room"])]),
      ])
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.older)
    let found = try #require(try NewerStoreTests.get(store, "House", 1))
    #expect(found.members["rooms"] == .list([Self.room("big room")]))
    #expect(throws: StoreError.self) { try NewerStoreTests.put(store, "House", found.members) }
    try store.close()
    let refused = history { Convert("size", to: .string) { (size: Int) in "\(size)" } }
    #expect(refused.forwardGrade(of: house, since: 0) == .refused)
    #expect(try refused.check(.forward, since: 0).map(\.place) == ["House.rooms.size"])
  }

  @Test("MoveOut: older apps find the members in the object that they were taken out of")
  func takenOut() throws {
    let out = SchemaHistory {
      Self.base
      Version(1) { On("House") { MoveOut("hall", "size", "at", keepingRest: true) } }
      Version(2) {
        On("House") {
          Rename("size", to: "area")
          On("hall") { Rename("name", to: "title") }
        }
      }
      Version(3) { On("House") { MoveOut("attic", "name", "size") } }
      Version(4) { On("House") { MoveOut("hall", "title") } }
    }
    #expect(out.issues == [])
    let house = TypeIdentity(introducedIn: 0, originalName: "House")
    #expect(out.forwardGrade(of: house, since: 0) == .readOnly)
    #expect(
      try out.check(.forward, since: 0).map(\.code) == Array(repeating: .readOnlyInverse, count: 3))
    let fileSystem = InMemoryFileSystem()
    var store = try NewerStoreTests.open(fileSystem, out)
    var values: [String: Value] = [
      "id": 1, "title": "hall", "area": 7, "at": .object(["x": 1, "y": 2]), "name": "a", "size": 8,
      "rooms": .list([]), "flats": .dictionary([:]),
    ]
    try NewerStoreTests.put(store, "House", values)
    values.merge(["id": 2, "at": .null, "name": .null, "size": .null]) { $1 }
    try NewerStoreTests.put(store, "House", values)
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.older)
    let (first, second) = (
      try NewerStoreTests.get(store, "House", 1), try NewerStoreTests.get(store, "House", 2)
    )
    #expect(first?.members["hall"] == Self.room("hall", 7, at: .object(["x": 1, "y": 2])))
    #expect(first?.members["attic"] == Self.room("a", 8))
    #expect(second?.members["hall"] == Self.room("hall", 7))
    #expect(second?.members["attic"] == .null)
    try store.close()
    // Where something that has to be there was not taken out, nothing leads back.
    let lost = SchemaHistory {
      Self.base
      Version(1) { On("House") { MoveOut("hall", "size") } }
    }
    #expect(lost.forwardGrade(of: house, since: 0) == .refused)
  }

  /// What the older app reads of a house that a newer one with `history` wrote.
  static func read(
    _ history: SchemaHistory, _ values: [String: Value], by older: SchemaHistory = older
  ) throws -> [String: Value]? {
    let fileSystem = InMemoryFileSystem()
    var store = try NewerStoreTests.open(fileSystem, history)
    try NewerStoreTests.put(store, "House", values)
    try store.close()
    store = try NewerStoreTests.open(fileSystem, older)
    defer { try? store.close() }
    return try NewerStoreTests.get(store, "House", 1)?.members
  }

  static func history(@OperationBuilder _ operations: () -> [RecordOperation]) -> SchemaHistory {
    SchemaHistory(
      base: base,
      versions: [Version(number: 1, changes: [.records(type: "House", operations: operations())])])
  }

  static let house = TypeIdentity(introducedIn: 0, originalName: "House")

  @Test("Any number of operations on one member of a version leads back, one after the other")
  func repeated() throws {
    let many = Self.history {
      On("hall") {
        for step in 0..<40 {
          RenameCase(
            "name", .string(step == 0 ? "entry" : "entry \(step)"), to: .string("entry \(step + 1)")
          )
        }
      }
    }
    #expect(many.issues == [])
    #expect(Self.house == many.operations.first?.type)
    var values = Self.seen
    values["hall"] = Self.room("entry 40", 5)
    #expect(try Self.read(many, values)?["hall"] == Self.room("entry", 5))
    // What an author leads back in part goes on through what was before.
    let part = Self.history {
      On("hall") {
        RenameCase("name", "entry", to: "door")
        Add("sort", .string, default: "x")
        Remove(
          "name",
          readAs: .mapped(
            .member("sort"), [CaseMapping(from: "x", to: "door")], otherwise: .member("sort")))
      }
    }
    for (sort, name) in [("x", "entry"), ("door", "entry"), ("hall", "hall")] {
      values["hall"] = .object(["sort": .string(sort), "size": 1, "at": .null])
      #expect(try Self.read(part, values)?["hall"] == Self.room(name))
    }
    let both = Self.history {
      On("attic") {
        Rename("size", to: "area")
        MakeOptional("area", readAs: 7)
        Convert(
          "area", to: .optional(.string), ValueExpression.member("area").toString,
          inverse: .member("area").parseInteger)
        Rename("area", to: "extent")
      }
    }
    values = Self.seen
    func attic(_ extent: Value) -> Value {
      .object(["name": "top", "extent": extent, "at": .null])
    }
    values["attic"] = attic("12")
    #expect(try Self.read(both, values)?["attic"] == Self.room("top", 12))
    values["attic"] = attic(.null)
    #expect(try Self.read(both, values)?["attic"] == Self.room("top", 7))
    // What cannot be converted back is an error, and not what is read for nil.
    values["attic"] = attic("12a")
    #expect(throws: StoreError.self) { try Self.read(both, values) }
  }

  @Test("Names that were given away lead to nothing else")
  func renamed() throws {
    let swapped = SchemaHistory {
      Base(0) {
        Type("House", key: "id") {
          Field("id", .int64)
          Field("hall", Self.room)
          Field("attic", Self.room)
        }
      }
      Version(1) {
        On("House") {
          Derive("size", .int32, .member("hall").field("size"))
          Rename("hall", to: "lobby")
          Rename("attic", to: "hall")
          On("hall") { Remove("size") }
        }
      }
    }
    #expect(swapped.issues == [])
    #expect(swapped.forwardGrade(of: Self.house, since: 0) == .refused)
    let inside = Self.history {
      On("hall") {
        Rename("name", to: "other")
        Remove("at")
      }
      On("hall") {
        Rename("other", to: "label")
        Add("at", .string, default: "new")
        Rename("size", to: "other")
      }
    }
    var values = Self.seen
    values["hall"] = .object(["label": "hall", "other": 3, "at": "new"])
    #expect(try Self.read(inside, values)?["hall"] == Self.room("hall", 3))
    let twice = Self.history {
      MoveOut("hall", "size", keepingRest: true)
      MoveOut("hall", "at", keepingRest: true)
      Derive("atticName", .optional(.string), .member("attic").field("name"))
      On("attic") { Remove("name", readAs: "given") }
    }
    #expect(twice.issues == [])
    values = Self.seen
    values["hall"] = .object(["name": "hall"])
    values["attic"] = .object(["size": 1, "at": .null])
    values.merge(["size": 4, "at": .object(["x": 1, "y": 2]), "atticName": "n"]) { $1 }
    let found = try Self.read(twice, values)
    #expect(found?["hall"] == Self.room("hall", 4, at: .object(["x": 1, "y": 2])))
    #expect(found?["attic"] == Self.room("given"))
  }

  @Test("New objects in new objects begin as new ones in old ones do")
  func createdInside() throws {
    let history = Self.history {
      Each("rooms") {
        On("at") {
          Add("z", .int64, default: 9)
          MakeOptional("x", readAs: 0)
        }
        Add("spot", .optional(.object([MemberShape("a", .int32)])))
        On("spot") { Add("b", .int32, default: 1) }
      }
    }
    #expect(history.forwardGrade(of: Self.house, since: 0) == .full)
    func stored(_ name: String, _ size: Value, _ at: Value) -> Value {
      .object(["name": .string(name), "size": size, "at": at, "spot": .null])
    }
    let at = Value.object(["x": 1, "y": .null, "z": 9])
    let fileSystem = InMemoryFileSystem()
    var store = try NewerStoreTests.open(fileSystem, history)
    var values = Self.seen
    values["rooms"] = .list([stored("a", 1, at), stored("b", 2, at)])
    try NewerStoreTests.put(store, "House", values)
    try store.close()
    store = try NewerStoreTests.open(fileSystem, Self.older)
    // Nobody has anything else in them, so a change may be told as a new element.
    let seenAt = Value.object(["x": 1, "y": .null])
    values["rooms"] = .list([
      Self.room("a", 5, at: seenAt), Self.room("b", 2, at: seenAt),
      Self.room("c", 3, at: .object(["x": 0, "y": 2])),
    ])
    try NewerStoreTests.put(store, "House", values)
    #expect(try NewerStoreTests.get(store, "House", 1)?.members == values)
    try store.close()
    store = try NewerStoreTests.open(fileSystem, history)
    #expect(
      try NewerStoreTests.get(store, "House", 1)?.members["rooms"]
        == .list([
          stored("a", 5, at), stored("b", 2, at),
          stored("c", 3, .object(["x": 0, "y": 2, "z": 9])),
        ]))
    try store.close()
  }

  @Test("The order in which an older app has members of embedded objects makes no difference")
  func order() throws {
    let other = SchemaHistory {
      Base(0) {
        Type("House", key: "id") {
          Field("id", .int64)
          Field(
            "hall",
            .object([
              MemberShape("at", .optional(Self.spot)), MemberShape("size", .int32),
              MemberShape("name", .string),
            ]))
          Field("attic", .optional(Self.room))
          Field("rooms", .list(Self.room))
          Field("flats", .dictionary(Self.room))
        }
      }
    }
    let store = try NewerStoreTests.open(try Self.makeStore(), other)
    #expect(try NewerStoreTests.get(store, "House", 1)?.members == Self.seen)
    try store.close()
  }
}
