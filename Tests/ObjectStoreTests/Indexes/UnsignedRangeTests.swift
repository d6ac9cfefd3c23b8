import ObjectStore
import SchemaRegistry
import Testing

/// From 2^63 on the bits of unsigned numbers are those of negative ones, which come before others.
@Suite("There are no ranges of unsigned numbers of 64 bits, by names as by key paths (R37)")
struct UnsignedRangeTests {
  typealias Hashed = UnsignedLookupTests.Hashed
  typealias CodedHashed = UnsignedLookupTests.CodedHashed

  private static func expectRefused(
    _ location: SourceLocation, _ body: () throws -> Void
  ) {
    do {
      try body()
      Issue.record("nothing was refused", sourceLocation: location)
    } catch StoreError.invalidLookup(_, _, let told) {
      #expect(
        told.contains("it holds unsigned numbers of 64 bits, which are not stored in their order"),
        sourceLocation: location)
      #expect(
        told.contains("look up a single value, or filter a walk"), sourceLocation: location)
    } catch { Issue.record("\(error)", sourceLocation: location) }
  }

  /// Expects that `values` are neither looked up nor deleted.
  private static func expectNone<Model: StorableObject>(
    _ store: Store, _ model: Model.Type, _ member: String, in values: some ValueRangeExpression,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    expectRefused(location) {
      _ = try store.snapshot().objects(model, where: member, in: values)
    }
    expectRefused(location) {
      _ = try store.snapshot().objects(model, where: member, selecting: values.memberSelection)
    }
    expectRefused(location) {
      try store.write { transaction in
        _ = try transaction.objects(model, where: member, in: values)
      }
    }
    expectRefused(location) {
      _ = try store.write { transaction in
        try transaction.delete(model, where: member, in: values)
      }
    }
    #expect(try store.snapshot().count(model) == 1, sourceLocation: location)
  }

  private static func check<Model: StorableObject>(_ store: Store, _ model: Model.Type) throws {
    // With an index and without one.
    for member in ["hash", "maybe"] {
      try expectNone(store, model, member, in: ...10)
      try expectNone(store, model, member, in: ..<10)
      try expectNone(store, model, member, in: 0...)
      try expectNone(store, model, member, in: 0..<10)
      try expectNone(store, model, member, in: (-1)...10)
      try expectNone(store, model, member, in: ...(-1))
      try expectNone(store, model, member, in: UInt8(1)...)
      try expectNone(store, model, member, in: Int64.min...Int64.max)
    }
    let snapshot = store.snapshot()
    // Of values without a Swift type the bits are compared.
    let negative = MemberSelection.between(.unbounded, .excluding(.int(0)))
    #expect(try snapshot.objects(model, where: "hash", selecting: negative).count() == 1)
    #expect(try snapshot.objects(model, where: "hash", equals: UInt64.max).count() == 1)
    #expect(try snapshot.objects(model, where: "count", in: ...10).count() == 1)
    #expect(try snapshot.objects(model, where: "count", in: 0...).count() == 0)
    #expect(try store.write { try $0.delete(model, where: "count", in: ...10) } == 1)
  }

  @Test("A range is the same selection as its bounds are, though it knows its type")
  func sameSelections() {
    #expect((18...).memberSelection == .between(.including(.int(18))))
    #expect((1..<3).memberSelection == .between(.including(.int(1)), .excluding(.int(3))))
    #expect((18...).memberSelection != .between(.including(.int(17))))
  }

  @Test("A range in a list of them is refused with what is looked up of lists")
  func lists() throws {
    let store = try UnsignedLookupTests.makeStore()
    let refused = StoreError.invalidLookup(
      type: "Hashed", member: "hashes",
      reason: "it holds [int64]; look up an element that it contains")
    #expect(throws: refused) {
      _ = try store.snapshot().objects(Hashed.self, where: "hashes", in: ...10)
    }
    try store.close()
  }

  @Test("Neither look-ups nor deletions take their bits for numbers")
  func refused() throws {
    let store = try UnsignedLookupTests.makeStore()
    try Self.check(store, Hashed.self)
    try Self.check(store, CodedHashed.self)
    try store.close()
  }
}
