import StorageTestSupport
import Testing

@testable import ObjectStore

/// All small lists, and all that an app can make of them, against all that it could have meant.
@Suite struct ListCompletionTests {
  struct Element: Hashable {
    let look: String
    /// What the app does not see; 0 in new ones.
    let hidden: Int64
    var value: Value { .object(["look": .string(look), "hidden": .int(hidden)]) }
  }

  /// All lists of at most `count` of some elements.
  static func lists<Some>(of elements: [Some], upTo count: Int) -> [[Some]] {
    guard count > 0 else { return [[]] }
    let shorter = lists(of: elements, upTo: count - 1)
    return shorter
      + shorter.filter { $0.count == count - 1 }.flatMap { list in
        elements.map { list + [$0] }
      }
  }

  static func elements(_ list: Value) -> [Element] {
    guard case .list(let values) = list else { return [] }
    return values.compactMap { value in
      guard case .object(let members) = value, case .string(let look)? = members["look"],
        case .int(let hidden)? = members["hidden"]
      else { return nil }
      return Element(look: look, hidden: hidden)
    }
  }

  static func choices(of places: [Int], _ count: Int) -> [[Int]] {
    guard count > 0 else { return [[]] }
    return places.indices.flatMap { index in
      choices(of: Array(places[(index + 1)...]), count - 1).map { [places[index]] + $0 }
    }
  }

  /// Which of `new` may be which of `old`, by their looks: as many as can be stay what they were,
  /// in any order, and each of the rest is new or was another before.
  static func pairings<Look: Hashable>(of new: [Look], after old: [Look]) -> Set<[Int: Int]> {
    var pairings: [[Int: Int]] = [[:]]
    for look in Set(new) {
      let (now, before) = (
        new.indices.filter { new[$0] == look }, old.indices.filter { old[$0] == look }
      )
      let count = min(now.count, before.count)
      pairings = pairings.flatMap { pairing in
        choices(of: now, count).flatMap { now in
          choices(of: before, count).map { before in
            pairing.merging(zip(now, before)) { $1 }
          }
        }
      }
    }
    var all: Set<[Int: Int]> = []
    func visit(_ place: Int, _ pairing: [Int: Int]) {
      guard place < new.count else {
        all.insert(pairing)
        return
      }
      visit(place + 1, pairing)
      guard pairing[place] == nil else { return }
      for other in old.indices where !pairing.values.contains(other) {
        visit(place + 1, pairing.merging([place: other]) { $1 })
      }
    }
    for pairing in pairings { visit(0, pairing) }
    return all
  }

  static func meanings(of new: [String], after old: [Element]) -> Set<[Element]> {
    let meanings = pairings(of: new, after: old.map(\.look)).map { pairing in
      new.indices.map { index in
        Element(look: new[index], hidden: pairing[index].map { old[$0].hidden } ?? 0)
      }
    }
    return Set(meanings)
  }

  /// Regardless of the order among those that look the same.
  static func unordered(_ list: [Element]) -> [Element] {
    var hidden: [String: [Int64]] = [:]
    for element in list { hidden[element.look, default: []].append(element.hidden) }
    hidden = hidden.mapValues { $0.sorted(by: >) }
    return list.map { Element(look: $0.look, hidden: hidden[$0.look]?.popLast() ?? 0) }
  }

  /// Whether what is in elements that look the same, and was there before, is in its order.
  static func isInOrder(_ list: [Element], after old: [Element]) -> Bool {
    ["x", "y"].allSatisfy { look in
      var rest = old.filter { $0.look == look }[...]
      return list.filter { $0.look == look && $0.hidden != 0 }.allSatisfy { element in
        rest = rest.drop { $0 != element }
        return rest.popFirst() != nil
      }
    }
  }

  @Test("Additive: a list is written when it can mean one thing only, and refused else")
  func exhaustive() throws {
    let look = MemberShape("look", .string)
    var defaults = RecordedDefault()
    defaults.add(0, at: ["hidden"])
    var lost: [(path: String, type: FieldType)] = []
    let binding = try #require(
      EmbeddedBinding(
        model: .list(.object([look])),
        store: .list(.object([MemberShape("hidden", .int64), look])), defaults: defaults,
        path: "m", lost: &lost))
    let elements = ["x", "y"].flatMap { look in
      (0..<3 as Range<Int64>).map { Element(look: look, hidden: $0) }
    }
    var failures: [String] = []
    var counts = (written: 0, refused: 0)
    for old in Self.lists(of: elements, upTo: 3) {
      for new in Self.lists(of: ["x", "y", "z"], upTo: 3) {
        let meanings = Set(Self.meanings(of: new, after: old).map(Self.unordered))
        let written = try? binding.completed(
          .list(new.map { .object(["look": .string($0)]) }), over: .list(old.map(\.value)))
        let elements = written.map(Self.elements)
        let wanted = meanings.count == 1 ? meanings.first : nil
        if wanted == nil { counts.refused += 1 } else { counts.written += 1 }
        if elements.map(Self.unordered) != wanted
          || !Self.isInOrder(elements ?? [], after: old)
        {
          failures.append("\(old.map { "\($0.look)\($0.hidden)" }) \(new)")
        }
      }
    }
    #expect(failures.prefix(5) == [], "of \(failures.count)")
    #expect(counts.written > 1000 && counts.refused > 1000)
  }
}
