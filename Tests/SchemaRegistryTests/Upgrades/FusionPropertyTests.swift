import HistoryTestSupport
import SchemaRegistry
import Testing

/// Property: the fused plan gives what the slow interpreter gives, for every version.
///
/// `Scripts/chains.sh` tries a hundred thousand histories.
@Suite("Fused plans equal stepwise upgrades")
struct FusionPropertyTests {
  @Test(
    "Random histories of 1 to 25 operations, with swaps, returning names and nils (H9, H10)",
    arguments: 0..<8)
  func fusedEqualsStepwise(_ part: Int) throws {
    var check = ChainCheck(seed: UInt64(0xF0_5E + part))
    try check.run(60)
    #expect(check.recordCount > 500)
    #expect(check.copiedByteCount > 10_000)
  }

  /// The cases of the operations, with the places that they look into: `each.on.rename`.
  private static func kinds(_ operations: [RecordOperation], _ place: String = "") -> Set<String> {
    var kinds: Set<String> = []
    for operation in operations {
      if case .embedded(_, let each, let inner) = operation {
        kinds.formUnion(Self.kinds(inner, place + (each ? "each." : "on.")))
      } else if let name = Mirror(reflecting: operation).children.first?.label {
        kinds.insert(place + name)
      }
    }
    return kinds
  }

  @Test("The random histories have every operation, also inside of objects in objects and lists")
  func everyOperation() {
    var histories = RandomHistories(seed: 0xF0_5E)
    var found: Set<String> = []
    for _ in 0..<600 {
      for version in histories.next().versions {
        for case .records(_, let operations) in version.changes {
          found.formUnion(Self.kinds(operations))
        }
      }
    }
    let inside: Set = [
      "add", "remove", "rename", "widen", "convert", "require", "makeOptional", "mapCases",
    ]
    let outside = inside.union(["derive", "addCases", "dropRecords", "rewrite"])
    #expect(outside.subtracting(found) == [])
    for place in ["on", "each", "on.on", "on.each", "each.on", "each.each"] {
      #expect(Set(inside.map { "\(place).\($0)" }).subtracting(found) == [])
    }
  }
}
