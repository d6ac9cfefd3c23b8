import FileIO
import ObjectStore
import StorageTestSupport
import Testing

/// Apps with random embedded objects take turns at one store, and a tree of values says what they
/// must see.
@Suite struct EmbeddedGrowthModelTests {
  /// What the store must hold.
  struct Oracle {
    /// What was said of a member by who added it, and inside of it.
    struct Added {
      let value: Value
      var inside: [String: Added] = [:]
    }

    /// Of the type itself.
    var root = Added(value: .object([:]))
    /// With all that apps added until now.
    var objects: [Int64: Value] = [:]
    /// How many writes were possible, and how many were not.
    var counts = (written: 0, refused: 0)

    /// What an app's first write adds; other objects have it at once.
    mutating func add(_ members: [ClientModel.Member]) {
      for member in members {
        root.inside[member.name] = Self.added(
          member.type, member.initial, root.inside[member.name])
      }
      objects = objects.mapValues { Self.filled($0, root) }
    }

    private static func added(_ type: FieldType, _ initial: Value, _ known: Added?) -> Added {
      var added = known ?? Added(value: initial)
      for member in members(of: type) {
        added.inside[member.name] = Self.added(
          member.type, object(initial)?[member.name] ?? .null, added.inside[member.name])
      }
      return added
    }

    private static func members(of type: FieldType) -> [MemberShape] {
      switch type.unwrapped {
      case .object(let members): members
      case .dictionary(let element), .list(let element): members(of: element)
      default: []
      }
    }

    private static func filled(_ value: Value, _ added: Added) -> Value {
      switch value {
      case .object(var values):
        for (name, inside) in added.inside {
          values[name] = filled(values[name] ?? inside.value, inside)
        }
        return .object(values)
      case .dictionary(let elements):
        return .dictionary(elements.mapValues { filled($0, added) })
      case .list(let elements): return .list(elements.map { filled($0, added) })
      default: return value
      }
    }

    mutating func put(
      _ key: Int64, _ values: [String: Value], _ members: [ClientModel.Member]
    ) throws {
      var written = Self.object(objects[key]) ?? [:]
      var refused: Set<String> = []
      for member in members {
        do {
          written[member.name] = try Self.written(
            member.type, values[member.name] ?? .null, over: written[member.name],
            root.inside[member.name])
        } catch { refused.insert(member.name) }
      }
      guard refused.isEmpty else { throw Refusal(members: refused) }
      objects[key] = Self.filled(.object(written), root)
    }

    /// Lists in these members were written that can mean several things.
    struct Refusal: Error { var members: Set<String> = [] }

    /// What is stored once an app wrote `new`, but for what is new.
    private static func written(
      _ type: FieldType, _ new: Value, over old: Value?, _ added: Added?
    ) throws -> Value {
      switch (type.unwrapped, new) {
      case (.object(let members), .object(let values)):
        var result = object(old) ?? [:]
        for member in members {
          result[member.name] = try written(
            member.type, values[member.name] ?? .null, over: result[member.name],
            added?.inside[member.name])
        }
        return .object(result)
      case (.dictionary(let element), .dictionary(var elements)):
        var before: [String: Value] = [:]
        if case .dictionary(let values)? = old { before = values }
        for (key, value) in elements {
          elements[key] = try written(element, value, over: before[key], added)
        }
        return .dictionary(elements)
      case (.list(let element), .list(let elements)):
        guard case .list(let before)? = old, let added else { return new }
        return .list(try list(element, elements, over: before, added))
      default: return new
      }
    }

    /// Elements are paired by what the app sees of them; what is left over must not be missed, and
    /// none of it may have become one that is new.
    private static func list(
      _ type: FieldType, _ elements: [Value], over before: [Value], _ added: Added
    ) throws -> [Value] {
      var left = before
      var new: [Value] = []
      let written = try elements.map { element in
        guard let index = left.firstIndex(where: { seen(type, $0) == element }) else {
          new.append(element)
          return element
        }
        return try Self.written(type, element, over: left.remove(at: index), added)
      }
      for rest in left {
        let look = seen(type, rest)
        let alike = before.filter { seen(type, $0) == look }
        if alike.allSatisfy({ $0 == filled(look, added) }) { continue }
        guard !elements.contains(look) || Set(alike).count == 1 else { throw Refusal() }
        for element in new {
          let changed = filled(try Self.written(type, element, over: rest, added), added)
          guard changed == filled(element, added) else { throw Refusal() }
        }
      }
      return written
    }

    /// The object as an app sees it that knows `members`, and may be about to add them.
    func object(_ key: Int64, _ members: [ClientModel.Member]) -> [String: Value]? {
      var oracle = self
      oracle.add(members)
      guard let stored = Self.object(oracle.objects[key]) else { return nil }
      var values: [String: Value] = ["id": .int(key)]
      for member in members {
        values[member.name] = Self.seen(member.type, stored[member.name] ?? .null)
      }
      return values
    }

    private static func seen(_ type: FieldType, _ value: Value) -> Value {
      switch (type.unwrapped, value) {
      case (.object(let members), .object(let known)):
        var values: [String: Value] = [:]
        for member in members {
          values[member.name] = seen(member.type, known[member.name] ?? .null)
        }
        return .object(values)
      case (.dictionary(let element), .dictionary(let elements)):
        return .dictionary(elements.mapValues { seen(element, $0) })
      case (.list(let element), .list(let elements)):
        return .list(elements.map { seen(element, $0) })
      default: return value
      }
    }

    private static func object(_ value: Value?) -> [String: Value]? {
      if case .object(let members)? = value { members } else { nil }
    }
  }

  /// An embedded object with some of the members that there are; only optional ones where the
  /// value to begin with cannot be told, which is also where the object may be nil.
  static func type(
    optionalOnly: Bool, depth: Int, optionalInner: Bool, _ random: inout SeededGenerator
  ) -> FieldType {
    var members = [MemberShape("k", .string)]
    let all: [(String, FieldType)] = [
      ("a", .int64), ("b", .optional(.string)), ("c", .bool), ("d", .optional(.int64)),
    ]
    for (name, type) in all where !optionalOnly || type.isOptional {
      if Bool.random(using: &random) { members.append(MemberShape(name, type)) }
    }
    if depth > 0, optionalInner || !optionalOnly, Bool.random(using: &random) {
      let inner = type(
        optionalOnly: optionalInner, depth: depth - 1, optionalInner: optionalInner, &random)
      members.append(MemberShape("inner", optionalInner ? .optional(inner) : inner))
    }
    if depth > 0, !optionalOnly, Bool.random(using: &random) {
      let element = type(optionalOnly: true, depth: 0, optionalInner: optionalInner, &random)
      members.append(MemberShape("each", .dictionary(element)))
      if Bool.random(using: &random) {
        members.append(MemberShape("lists", .dictionary(.list(element))))
      }
    }
    return .object(members.shuffled(using: &random))
  }

  /// Where `isInitial`, objects are there that tell what required members begin with.
  static func value(
    _ type: FieldType, isInitial: Bool = false, _ random: inout SeededGenerator
  ) -> Value {
    switch type {
    case .optional(let inner):
      if isInitial, case .object(let members) = inner,
        members.contains(where: { $0.name != "k" && !$0.type.isOptional })
      {
        return value(inner, isInitial: true, &random)
      }
      return Bool.random(using: &random) ? value(inner, isInitial: isInitial, &random) : .null
    case .object(let members):
      var values: [String: Value] = [:]
      for member in members {
        values[member.name] = value(member.type, isInitial: isInitial, &random)
      }
      return .object(values)
    case .dictionary(let element):
      var values: [String: Value] = [:]
      for key in ["x", "y", "z"] where Bool.random(using: &random) {
        values[key] = value(element, &random)
      }
      return .dictionary(values)
    case .list(let element):
      return .list(
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in value(element, &random) })
    default: return AdditiveModelTests.value(type, &random)
    }
  }

  static func client(
    optionalInner: Bool, _ random: inout SeededGenerator
  ) -> [ClientModel.Member] {
    func object(
      optionalOnly: Bool = false, depth: Int, _ random: inout SeededGenerator
    ) -> FieldType {
      type(
        optionalOnly: optionalOnly, depth: depth, optionalInner: optionalInner, &random)
    }
    var members: [ClientModel.Member] = []
    let types: [(String, FieldType)] = [
      ("o", object(depth: 2, &random)),
      ("p", .optional(object(depth: 1, &random))),
      ("q", .dictionary(object(optionalOnly: true, depth: 1, &random))),
      ("r", .int64), ("s", .list(object(optionalOnly: true, depth: 1, &random))),
      ("t", .dictionary(.list(object(optionalOnly: true, depth: 1, &random)))),
      (
        "u", .optional(.list(.dictionary(.optional(object(optionalOnly: true, depth: 0, &random)))))
      ),
      ("v", .list(.optional(.list(object(optionalOnly: true, depth: 0, &random))))),
      ("w", .dictionary(.dictionary(.list(object(optionalOnly: true, depth: 1, &random))))),
    ]
    for (name, type) in types where Int.random(in: 0..<4, using: &random) > 0 {
      let initial = value(type, isInitial: true, &random)
      members.append(ClientModel.Member(name: name, type: type, initial: initial))
    }
    return members.shuffled(using: &random)
  }

  /// A value of a container that an app has seen with a change, somewhere in it.
  static func changed(
    _ type: FieldType, _ value: Value, _ random: inout SeededGenerator
  ) -> Value {
    switch (type.unwrapped, value) {
    case (.list(let element), .list(var elements)):
      switch Int.random(in: 0..<4, using: &random) {
      case 0: elements.shuffle(using: &random)
      case 1: _ = elements.popLast()
      case 2: elements.append(Self.value(element, &random))
      default:
        guard let place = elements.indices.randomElement(using: &random) else { break }
        elements[place] = changed(element, elements[place], &random)
      }
      return .list(elements)
    case (.dictionary(let element), .dictionary(var elements)):
      let key = ["x", "y", "z"].randomElement(using: &random) ?? ""
      elements[key] =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: nil
        case 1: Self.value(element, &random)
        default: elements[key].map { changed(element, $0, &random) }
        }
      return .dictionary(elements)
    default: return Self.value(type, &random)
    }
  }

  /// Writes an object, in which most containers are those that the app has seen with some changes.
  static func put(
    _ key: Int64, _ members: [ClientModel.Member], _ store: Store, _ oracle: inout Oracle,
    _ random: inout SeededGenerator
  ) throws {
    let seen = oracle.object(key, members)
    var values: [String: Value] = [:]
    for member in members {
      values[member.name] = value(member.type, &random)
      switch member.type.unwrapped {
      case .list, .dictionary:
        guard var known = seen?[member.name], Int.random(in: 0..<12, using: &random) > 0 else {
          continue
        }
        for _ in 0..<Int.random(in: 0..<3, using: &random) {
          known = changed(member.type, known, &random)
        }
        values[member.name] = known
      default: continue
      }
    }
    let object = ClientModel(values.merging(["id": .int(key)]) { $1 })
    var next = oracle
    next.add(members)
    do { try next.put(key, values, members) } catch let refusal as Oracle.Refusal {
      oracle.counts.refused += 1
      do {
        try store.write { try $0.put(object) }
        Issue.record("\(refusal.members) of \(key) were written")
      } catch StoreError.elementsNotToldApart(let type, let keyText, let member) {
        let name = member.prefix { $0 != "." }
        #expect(type == "Thing" && keyText == "\(key)")
        #expect(refusal.members.contains(String(name)), "\(member), not \(refusal.members)")
      }
      return
    }
    try store.write { try $0.put(object) }
    oracle = next
    oracle.counts.written += 1
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
        try put(key, members, store, &oracle, &random)
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
    var counts = (written: 0, refused: 0)
    for seed in 1...60 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let fileSystem = InMemoryFileSystem()
      var oracle = Oracle()
      defer {
        counts.written += oracle.counts.written
        counts.refused += oracle.counts.refused
      }
      for turn in 0..<12 {
        let members = Self.client(optionalInner: seed.isMultiple(of: 2), &random)
        let problem = try ClientModel.$members.withValue(members) { () throws -> String? in
          try Self.session(members, fileSystem, &oracle, &random)
        }
        if let problem {
          Issue.record("seed \(seed), turn \(turn): \(problem)")
          return
        }
      }
    }
    print("60 stores of 12 apps each, seeds 1...60, writes: \(counts)")
    #expect(counts.written > 1000 && counts.refused > 20)
  }
}
