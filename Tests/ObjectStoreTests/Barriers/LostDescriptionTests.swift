import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Stores of which a salvage lost the description of a version, or all that describes it.
@Suite("A barrier that ran does not run again where its version's description is lost (R32, P20)")
struct LostDescriptionTests {
  static let history = BarrierTests.coded { _ in }

  private static func ids(_ store: Store, _ catalog: SchemaCatalog) -> [String] {
    BarrierPlan(history, catalog: catalog, log: store.log).barriers.map(\.id)
  }

  @Test func lost() throws {
    let fileSystem = try BarrierTests.makeStore()
    var store = try BarrierTests.open(fileSystem, BarrierTests.original)
    // The other way round: where nothing is newer than the barrier, it is still to run.
    #expect(Self.ids(store, store.reader.catalog) == ["v1/barrier:work"])
    try store.close()
    store = try BarrierTests.open(fileSystem, Self.history)
    #expect(Self.ids(store, store.reader.catalog) == [])
    var catalog = store.reader.catalog
    catalog.shapes[1] = nil
    #expect(Self.ids(store, catalog) == [])
    // What it brought along has its version.
    catalog.ledger[1] = nil
    #expect(Self.ids(store, catalog) == [])
    #expect(catalog.highestVersion == 0 && catalog.highestVersion(with: store.log) == 1)
    #expect(Self.ids(store, SchemaCatalog()) == [])
    try store.close()
  }
}
