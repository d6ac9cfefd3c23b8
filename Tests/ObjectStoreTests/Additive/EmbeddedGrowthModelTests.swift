import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// Apps with random embedded objects take turns at one store, and a tree of values says what they
/// must see.
@Suite struct EmbeddedGrowthModelTests {
  /// What the store must hold.
  struct Oracle {
    /// Values where nobody said one: those of who added them. Objects have what was added inside.
    var defaults: [String: Value] = [:]
    var objects: [Int64: [String: Value]] = [:]

    /// What an app's first write adds.
    mutating func add(_ members: [ClientModel.Member]) {
      for member in members {
        defaults[member.name] = Self.added(member.type, member.initial, defaults[member.name])
      }
    }

    private static func added(_ type: FieldType, _ initial: Value, _ known: Value?) -> Value {
      switch type.unwrapped {
      case .object(let members):
        var values = object(known) ?? [:]
        for member in members {
          values[member.name] = added(
            member.type, object(initial)?[member.name] ?? .null, values[member.name])
        }
        return .object(values)
      default: return known ?? initial
      }
    }

    /// The object as an app sees it that knows `members`.
    func object(_ key: Int64, _ members: [ClientModel.Member]) -> [String: Value]? {
      guard let stored = objects[key] else { return nil }
      var values: [String: Value] = ["id": .int(key)]
      for member in members {
        values[member.name] = Self.seen(
          member.type, stored[member.name], defaults[member.name], member.initial)
      }
      return values
    }

    private static func seen(
      _ type: FieldType, _ stored: Value?, _ added: Value?, _ initial: Value?
    ) -> Value {
      switch (type.unwrapped, stored) {
      case (_, .null?): return .null
      case (.object(let members), _):
        var values: [String: Value] = [:]
        for member in members {
          values[member.name] = seen(
            member.type, object(stored)?[member.name], object(added)?[member.name],
            object(initial)?[member.name])
        }
        return .object(values)
      case (.dictionary(let element), .dictionary(let elements)?):
        return .dictionary(elements.mapValues { seen(element, $0, nil, nil) })
      default: return stored ?? added ?? initial ?? .null
      }
    }

    /// What is stored once an app wrote `new`.
    static func written(_ new: Value, over old: Value?) -> Value {
      switch new {
      case .object(let members):
        var values = object(old) ?? [:]
        for (name, value) in members { values[name] = written(value, over: values[name]) }
        return .object(values)
      case .dictionary(var elements):
        var before: [String: Value] = [:]
        if case .dictionary(let values)? = old { before = values }
        for (key, element) in elements { elements[key] = written(element, over: before[key]) }
        return .dictionary(elements)
      default: return new
      }
    }

    private static func object(_ value: Value?) -> [String: Value]? {
      if case .object(let members)? = value { members } else { nil }
    }
  }

  /// An embedded object with some of the members that there are; only optional ones where the
  /// value to begin with cannot be told.
  static func type(
    optionalOnly: Bool, depth: Int, _ random: inout SeededGenerator
  ) -> FieldType {
    var members = [MemberShape("k", .string)]
    let all: [(String, FieldType)] = [
      ("a", .int64), ("b", .optional(.string)), ("c", .bool), ("d", .optional(.int64)),
    ]
    for (name, type) in all where !optionalOnly || type.isOptional {
      if Bool.random(using: &random) { members.append(MemberShape(name, type)) }
    }
    if depth > 0, !optionalOnly, Bool.random(using: &random) {
      members.append(
        MemberShape("inner", type(optionalOnly: false, depth: depth - 1, &random)))
    }
    return .object(members.shuffled(using: &random))
  }

  static func value(
    _ type: FieldType, nils: Bool = true, _ random: inout SeededGenerator
  ) -> Value {
    switch type {
    case .optional(let inner):
      if case .object = inner, !nils { return value(inner, nils: nils, &random) }
      return Bool.random(using: &random) ? value(inner, nils: nils, &random) : .null
    case .object(let members):
      var values: [String: Value] = [:]
      for member in members { values[member.name] = value(member.type, nils: nils, &random) }
      return .object(values)
    case .dictionary(let element):
      var values: [String: Value] = [:]
      for key in ["x", "y", "z"] where nils && Bool.random(using: &random) {
        values[key] = value(element, &random)
      }
      return .dictionary(values)
    default: return AdditiveModelTests.value(type, &random)
    }
  }

  static func client(_ random: inout SeededGenerator) -> [ClientModel.Member] {
    var members: [ClientModel.Member] = []
    let types: [(String, FieldType)] = [
      ("o", type(optionalOnly: false, depth: 2, &random)),
      ("p", .optional(type(optionalOnly: false, depth: 1, &random))),
      ("q", .dictionary(type(optionalOnly: true, depth: 0, &random))),
      ("r", .int64),
    ]
    for (name, type) in types where Int.random(in: 0..<4, using: &random) > 0 {
      let initial = value(type, nils: false, &random)
      members.append(ClientModel.Member(name: name, type: type, initial: initial))
    }
    return members.shuffled(using: &random)
  }

  /// One app's turn; says what was not as it must be.
  static func session(
    _ members: [ClientModel.Member], _ fileSystem: InMemoryFileSystem, _ oracle: inout Oracle,
    _ random: inout SeededGenerator
  ) throws -> String? {
    let store = try AdditiveModelTests.open(fileSystem)
    for _ in 0..<Int.random(in: 0..<10, using: &random) {
      let key = Int64.random(in: 0..<6, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<4:
        var values: [String: Value] = ["id": .int(key)]
        for member in members { values[member.name] = value(member.type, &random) }
        try store.write { try $0.put(ClientModel(values)) }
        oracle.add(members)
        values["id"] = nil
        for (name, value) in values {
          oracle.objects[key, default: [:]][name] = Oracle.written(
            value, over: oracle.objects[key]?[name])
        }
        if oracle.objects[key] == nil { oracle.objects[key] = [:] }
      case 4:
        try store.write { try $0.delete(ClientModel.self, Int(key)) }
        oracle.objects[key] = nil
      case 5 where Int.random(in: 0..<3, using: &random) == 0:
        // Compaction describes the schema that it upgrades to.
        let isOlder = try store.compactionPlan().staleRecordCount > 0
        _ = try store.compact()
        if isOlder { oracle.add(members) }
      default: break
      }
    }
    try store.close()
    let again = try AdditiveModelTests.open(fileSystem)
    let snapshot = again.snapshot()
    for key in 0..<6 as Range<Int64> {
      let found = try snapshot.get(ClientModel.self, Int(key))?.values
      guard found == oracle.object(key, members) else {
        return "\(key) is \(found ?? [:]), not \(oracle.object(key, members) ?? [:])"
      }
    }
    try again.close()
    return nil
  }

  @Test("Additive: apps with any embedded objects see what each wrote, and lose nothing")
  func randomClients() throws {
    for seed in 1...60 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let fileSystem = InMemoryFileSystem()
      var oracle = Oracle()
      for turn in 0..<12 {
        let members = Self.client(&random)
        let problem = try ClientModel.$members.withValue(members) { () throws -> String? in
          try Self.session(members, fileSystem, &oracle, &random)
        }
        if let problem {
          Issue.record("seed \(seed), turn \(turn): \(problem)")
          return
        }
      }
    }
    print("60 stores of 12 apps each, seeds 1...60")
  }
}
