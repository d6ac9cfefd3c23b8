import StorageTestSupport
import Testing

@testable import LogStore

/// The pieces of the spans of slots have the slots that passing over each of them leaves.
@Suite struct SlotSpansTests {
  private static func span(
    _ first: (UInt32, UInt64), _ last: (UInt32, UInt64)
  ) -> KeyHeads { KeyHeads(first: first, last: last) }

  private static func check(_ spans: [KeyHeads], _ heads: [KeyHeads.Head]) {
    let made = spans.withUnsafeBufferPointer { SlotSpans($0) }
    for head in heads {
      let words = made.slots(at: head)
      for slot in spans.indices {
        let isThere = words[slot / 64] >> UInt64(slot % 64) & 1 == 1
        #expect(isThere == spans[slot].mayContain(head), "slot \(slot), \(head)")
      }
    }
  }

  @Test("All heads around spans that touch, overlap, enclose each other, or are one key")
  func smallSpans() {
    let bounds: [(UInt32, UInt64)] = [
      (0, 0), (0, 1), (0, .max), (1, 0), (1, 5), (1, 6), (2, .max), (.max, .max),
    ]
    var all: [KeyHeads] = [KeyHeads(nil)]
    for first in bounds.indices {
      for last in first..<bounds.count { all.append(Self.span(bounds[first], bounds[last])) }
    }
    let heads =
      bounds
      + bounds.map { ($0.0, $0.1 &+ 1) } + bounds.map { ($0.0, $0.1 &- 1) } + [(3, 9)]
    for left in all {
      for right in all { Self.check([left, right], heads) }
    }
    Self.check([], heads)
  }

  @Test("Any number of slots, with words of their own each sixty-four", arguments: 1...12)
  func manySpans(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let count = [1, 5, 63, 64, 65, 128, 200].randomElement(using: &generator) ?? 1
    let spans = (0..<count).map { _ in
      let collection = UInt32.random(in: 0..<3, using: &generator)
      let first = UInt64.random(in: 0..<500, using: &generator)
      let length = UInt64.random(in: 0..<60, using: &generator)
      return Self.span((collection, first), (collection, first + length))
    }
    var heads: [KeyHeads.Head] = []
    for collection in UInt32(0)...3 {
      for head in UInt64(0)...570 { heads.append((collection, head)) }
    }
    Self.check(spans, heads)
  }

  @Test("A search gives the slots that asking each would, known or not", arguments: 1...12)
  func searchesAgree(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let count = Int.random(in: 1...140, using: &generator)
    let heads = SlotHeads(count: count)
    for slot in (0..<count).shuffled(using: &generator) {
      for _ in 0..<3 {
        let head: KeyHeads.Head = (1, .random(in: 0..<300, using: &generator))
        #expect(Self.search(heads, head) == Self.passOver(heads, count, head), "seed \(seed)")
      }
      let first = UInt64.random(in: 0..<300, using: &generator)
      heads.enter(Self.span((1, first), (1, first + 40)), for: slot)
    }
    _ = Self.search(heads, (1, 0))
    let isSearched = heads.isSearched
    #expect(isSearched == (count >= SlotHeads.searchedCountMinimum))
    for number in UInt64(0)..<360 {
      let found = Self.search(heads, (1, number))
      #expect(found == Self.passOver(heads, count, (1, number)), "seed \(seed), \(number)")
    }
  }

  private final class SharedHeads: Sendable {
    let heads: SlotHeads
    init(count: Int) { heads = SlotHeads(count: count) }
  }

  @Test("While threads enter what they know, no slot is passed over that may have the key")
  func searchesBesideOthers() {
    for round in UInt64(1)...60 {
      var generator = SeededGenerator(seed: round)
      let count = Int.random(in: 6...130, using: &generator)
      let spans = (0..<count).map { _ in
        let first = UInt64.random(in: 0..<300, using: &generator)
        return Self.span((1, first), (1, first + 40))
      }
      let shared = SharedHeads(count: count)
      let failures = Threads.run(4) { thread in
        var generator = SeededGenerator(seed: round * 4 + UInt64(thread))
        // All enter all, each in an order of its own.
        for slot in (0..<count).shuffled(using: &generator) {
          shared.heads.enter(spans[slot], for: slot)
          let head: KeyHeads.Head = (1, .random(in: 0..<340, using: &generator))
          let found = Set(Self.search(shared.heads, head))
          let missing = spans.indices.filter { spans[$0].mayContain(head) && !found.contains($0) }
          if !missing.isEmpty { throw CaseFailure("seed \(round): \(missing) at \(head)") }
        }
      }
      #expect(failures == [])
      _ = Self.search(shared.heads, (1, 0))
      let isSearched = shared.heads.isSearched
      #expect(isSearched)
    }
  }

  private static func search(_ heads: borrowing SlotHeads, _ head: KeyHeads.Head) -> [Int] {
    var search = heads.search(head)
    var found: [Int] = []
    while let slot = heads.next(&search) { found.append(slot) }
    return found
  }

  private static func passOver(
    _ heads: borrowing SlotHeads, _ count: Int, _ head: KeyHeads.Head
  ) -> [Int] { (0..<count).filter { !heads.rulesOut(head, in: $0) } }
}
