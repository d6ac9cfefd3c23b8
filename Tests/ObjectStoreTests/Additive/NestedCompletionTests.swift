import Testing

@testable import ObjectStore

/// All small lists of lists and of dictionaries, and all that an app can make of them, against all
/// that it could have meant.
@Suite struct NestedCompletionTests {
  typealias Element = ListCompletionTests.Element
  typealias Lists = ListCompletionTests

  /// What lies in the list; looks in a dictionary begin with their key.
  enum Inner {
    case lists
    case dictionaries

    var type: ([MemberShape]) -> FieldType {
      switch self {
      case .lists: { .list(.list(.object($0))) }
      case .dictionaries: { .list(.dictionary(.object($0))) }
      }
    }

    func value(_ looks: [String], _ objects: [Value]) -> Value {
      switch self {
      case .lists: .list(objects)
      case .dictionaries:
        .dictionary(
          Dictionary(zip(looks.map { String($0.prefix(1)) }, objects)) { first, _ in first })
      }
    }

    func elements(_ value: Value) -> [Element] {
      switch (self, value) {
      case (.dictionaries, .dictionary(let values)):
        Lists.elements(.list(values.sorted { $0.key < $1.key }.map(\.value)))
      default: Lists.elements(value)
      }
    }

    /// What one of `looks` can be that was `old`.
    func meanings(of looks: [String], after old: [Element]) -> Set<[Element]> {
      switch self {
      case .lists: return Set(Lists.meanings(of: looks, after: old).map(Lists.unordered))
      case .dictionaries:
        let elements = looks.map { look in
          let before = old.first { $0.look.prefix(1) == look.prefix(1) }
          return Element(look: look, hidden: before?.hidden ?? 0)
        }
        return [elements]
      }
    }

    /// What `new` can mean.
    func meanings(of new: [[String]], after old: [[Element]]) -> Set<[[Element]]> {
      var all: Set<[[Element]]> = []
      for pairing in Lists.pairings(of: new, after: old.map { $0.map(\.look) }) {
        var meanings: [[[Element]]] = [[]]
        for (place, looks) in new.enumerated() {
          let before = pairing[place].map { old[$0] } ?? []
          // One that looks the same is the same, and so is the order in it.
          let inner =
            before.map(\.look) == looks ? [before] : self.meanings(of: looks, after: before)
          meanings = meanings.flatMap { meaning in inner.map { meaning + [$0] } }
        }
        all.formUnion(meanings.map(Self.unordered))
      }
      return all
    }

    /// Regardless of the order among those that look the same.
    static func unordered(_ list: [[Element]]) -> [[Element]] {
      var inner: [[String]: [[Element]]] = [:]
      for elements in list {
        inner[elements.map(\.look), default: []].append(elements)
      }
      inner = inner.mapValues { lists in
        lists.sorted { $1.map(\.hidden).lexicographicallyPrecedes($0.map(\.hidden)) }
      }
      return list.map { inner[$0.map(\.look)]?.popLast() ?? [] }
    }

    /// Whether those in which something is are as they were, and in their order.
    static func isInOrder(_ list: [[Element]], after old: [[Element]]) -> Bool {
      Set(list.map { $0.map(\.look) }).allSatisfy { look in
        var rest = old.filter { $0.map(\.look) == look }[...]
        let kept = list.filter {
          $0.map(\.look) == look && $0.contains { $0.hidden != 0 }
        }
        return kept.allSatisfy { elements in
          rest = rest.drop { $0 != elements }
          return rest.popFirst() != nil
        }
      }
    }
  }

  static func binding(_ inner: Inner) throws -> EmbeddedBinding {
    let look = MemberShape("look", .string)
    var defaults = RecordedDefault()
    defaults.add(0, at: ["hidden"])
    var lost: [(path: String, type: FieldType)] = []
    return try #require(
      EmbeddedBinding(
        model: inner.type([look]), store: inner.type([MemberShape("hidden", .int64), look]),
        defaults: defaults, path: "m", lost: &lost))
  }

  /// What is not as it must be, for all `olds` and `news`.
  static func failures(
    _ inner: Inner, _ olds: [[[Element]]], _ news: [[[String]]],
    _ counts: inout (written: Int, refused: Int)
  ) throws -> [String] {
    let binding = try binding(inner)
    var failures: [String] = []
    for old in olds {
      let stored = Value.list(old.map { inner.value($0.map(\.look), $0.map(\.value)) })
      for new in news {
        let value = Value.list(
          new.map { looks in inner.value(looks, looks.map { .object(["look": .string($0)]) }) })
        let meanings = inner.meanings(of: new, after: old)
        var written: [[Element]]?
        if case .list(let values)? = try? binding.completed(value, over: stored) {
          written = values.map(inner.elements)
        }
        let wanted = meanings.count == 1 ? meanings.first : nil
        if wanted == nil { counts.refused += 1 } else { counts.written += 1 }
        if written.map(Inner.unordered) != wanted || !Inner.isInOrder(written ?? [], after: old) {
          let before = old.map { $0.map { "\($0.look)\($0.hidden)" } }
          failures.append("\(before) \(new): \(written.map { "\($0)" } ?? "refused")")
        }
      }
    }
    return failures
  }

  static func elements(_ looks: [String: ClosedRange<Int64>]) -> [Element] {
    looks.sorted { $0.key < $1.key }.flatMap { look, hidden in
      hidden.map { Element(look: look, hidden: $0) }
    }
  }

  @Test("Additive: a list of lists is written when it can mean one thing only, and refused else")
  func lists() throws {
    var counts = (written: 0, refused: 0)
    // Two of up to two, and three of up to one.
    let pairs = Lists.lists(of: Self.elements(["x": 0...1, "y": 2...2]), upTo: 2)
    var failures = try Self.failures(
      .lists, Lists.lists(of: pairs, upTo: 2),
      Lists.lists(of: Lists.lists(of: ["x", "y"], upTo: 2), upTo: 2), &counts)
    let singles = Lists.lists(of: Self.elements(["x": 0...2, "y": 0...1]), upTo: 1)
    failures += try Self.failures(
      .lists, Lists.lists(of: singles, upTo: 3), Lists.lists(of: [[], ["x"], ["y"]], upTo: 3),
      &counts)
    print("lists of lists: \(counts)")
    #expect(failures.prefix(5) == [], "of \(failures.count)")
    #expect(counts.written > 1000 && counts.refused > 1000)
  }

  @Test("Additive: a list of dictionaries is written when it can mean one thing only")
  func dictionaries() throws {
    var counts = (written: 0, refused: 0)
    func dictionaries<Some>(_ p: [Some], _ q: [Some]) -> [[Some]] {
      [[]] + p.map { [$0] } + q.map { [$0] } + p.flatMap { p in q.map { [p, $0] } }
    }
    let olds = dictionaries(
      Self.elements(["px": 0...1, "py": 2...2]), Self.elements(["qx": 1...1]))
    let news = dictionaries(["px", "py"], ["qx"])
    let failures = try Self.failures(
      .dictionaries, Lists.lists(of: olds, upTo: 2), Lists.lists(of: news, upTo: 3), &counts)
    print("lists of dictionaries: \(counts)")
    #expect(failures.prefix(5) == [], "of \(failures.count)")
    #expect(counts.written > 1000 && counts.refused > 1000)
  }

  @Test("Additive: a list in which too many containers gave way to others is refused")
  func limit() throws {
    let binding = try Self.binding(.lists)
    func isWritten(_ count: Int) -> Bool {
      let old = (0..<count).map { _ in Value.list([Element(look: "x", hidden: 1).value]) }
      let new = [Value](repeating: .list([]), count: count)
      return (try? binding.completed(.list(new), over: .list(old))) != nil
    }
    #expect(isWritten(100))
    #expect(!isWritten(513))
  }

  @Test("Additive: containers that have nothing in the same place are not compared")
  func nothingInCommon() throws {
    let binding = try Self.binding(.dictionaries)
    let old = (0..<2000).map { index in
      Value.dictionary(["old\(index)": Element(look: "x", hidden: 1).value])
    }
    let new = (0..<2000).map { index in
      Value.dictionary(["new\(index)": .object(["look": "x"])])
    }
    guard case .list(let written) = try binding.completed(.list(new), over: .list(old)) else {
      Issue.record("it is a list")
      return
    }
    #expect(written.count == 2000)
    // One that has something where another had it may be that one.
    #expect(throws: ElementsNotToldApart.self) {
      try binding.completed(
        .list(new + [.dictionary(["old7": .object(["look": "y"])])]), over: .list(old))
    }
  }
}
