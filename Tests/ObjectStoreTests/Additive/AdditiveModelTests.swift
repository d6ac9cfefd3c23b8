import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// Apps with random models take turns at one store, and a plain dictionary says what they must see.
@Suite struct AdditiveModelTests {
  /// What the store must hold.
  struct Oracle {
    /// Values that members have where nobody said it: those of who added them.
    var defaults: [String: Value] = [:]
    var objects: [Int64: [String: Value]] = [:]

    /// The object as an app sees it that knows `members`.
    func object(_ key: Int64, _ members: [ClientModel.Member]) -> [String: Value]? {
      guard let stored = objects[key] else { return nil }
      var values: [String: Value] = ["id": .int(key)]
      for member in members {
        values[member.name] = stored[member.name] ?? defaults[member.name] ?? member.initial
      }
      return values
    }
  }

  static let types: [FieldType] = [
    .string, .optional(.string), .int64, .optional(.int64), .list(.string), .double, .bool,
    .optional(.object([MemberShape("x", .int64)])), .int32, .dictionary(.int64),
  ]

  static func value(_ type: FieldType, _ random: inout SeededGenerator) -> Value {
    switch type {
    case .optional(let inner): Bool.random(using: &random) ? value(inner, &random) : .null
    case .string: .string("s\(Int.random(in: 0..<100, using: &random))")
    case .int64, .int32: .int(Int64.random(in: -5...500, using: &random))
    case .double: .double(Double(Int.random(in: 0..<9, using: &random)))
    case .bool: .bool(Bool.random(using: &random))
    case .list(let inner): .list([value(inner, &random)])
    case .dictionary(let inner): .dictionary(["k": value(inner, &random)])
    case .object(let members): .object(["x": value(members[0].type, &random)])
    default: .null
    }
  }

  /// Some of the members that there are in all; each app has initial values of its own.
  static func client(_ random: inout SeededGenerator) -> [ClientModel.Member] {
    var members: [ClientModel.Member] = []
    for (index, type) in types.enumerated() where Int.random(in: 0..<3, using: &random) == 0 {
      members.append(
        ClientModel.Member(name: "m\(index)", type: type, initial: value(type, &random)))
    }
    return members.shuffled(using: &random)
  }

  static func open(_ fileSystem: any FileSystem) throws -> Store {
    try Store.open(
      at: "/s", models: [ClientModel.self], evolution: .additive, configuration: .quiet,
      fileSystem: fileSystem)
  }

  /// One app's turn; says what was not as it must be.
  static func session(
    _ members: [ClientModel.Member], _ fileSystem: InMemoryFileSystem, _ oracle: inout Oracle,
    _ random: inout SeededGenerator
  ) throws -> String? {
    let store = try open(fileSystem)
    for _ in 0..<Int.random(in: 0..<12, using: &random) {
      let key = Int64.random(in: 0..<8, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        var values: [String: Value] = ["id": .int(key)]
        for member in members { values[member.name] = value(member.type, &random) }
        try store.write { try $0.put(ClientModel(values)) }
        // What the app adds is there for all from its first write on.
        for member in members where oracle.defaults[member.name] == nil {
          oracle.defaults[member.name] = member.initial
        }
        values["id"] = nil
        oracle.objects[key, default: [:]].merge(values) { _, new in new }
      case 4:
        try store.write { try $0.delete(ClientModel.self, Int(key)) }
        oracle.objects[key] = nil
      case 5 where Int.random(in: 0..<4, using: &random) == 0:
        // Compaction describes the schema that it upgrades to.
        let isOlder = try store.compactionPlan().staleRecordCount > 0
        _ = try store.compact()
        for member in members where isOlder && oracle.defaults[member.name] == nil {
          oracle.defaults[member.name] = member.initial
        }
      default:
        let found = try store.snapshot().get(ClientModel.self, Int(key))?.values
        if found != oracle.object(key, members) {
          return "\(key) is \(found ?? [:]), not \(oracle.object(key, members) ?? [:])"
        }
      }
    }
    try store.close()
    return nil
  }

  @Test("Additive: apps with any models in any order see what each wrote, and lose nothing")
  func randomClients() throws {
    for seed in 1...60 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let fileSystem = InMemoryFileSystem()
      var oracle = Oracle()
      for turn in 0..<14 {
        // The last one knows everything.
        let members =
          turn == 13
          ? Self.types.enumerated().map {
            ClientModel.Member(
              name: "m\($0)", type: $1, initial: Self.value($1, &random))
          } : Self.client(&random)
        let problem = try ClientModel.$members.withValue(members) { () throws -> String? in
          if let problem = try Self.session(members, fileSystem, &oracle, &random) {
            return problem
          }
          let store = try Self.open(fileSystem)
          let snapshot = store.snapshot()
          for key in 0..<8 as Range<Int64> {
            let found = try snapshot.get(ClientModel.self, Int(key))?.values
            guard found == oracle.object(key, members) else {
              return "\(key) is \(found ?? [:]), not \(oracle.object(key, members) ?? [:])"
            }
          }
          try store.close()
          return nil
        }
        if let problem {
          Issue.record("seed \(seed), turn \(turn): \(problem)")
          return
        }
      }
    }
    print("60 stores of 14 apps each, seeds 1...60")
  }
}
