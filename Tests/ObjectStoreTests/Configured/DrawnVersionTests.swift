import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Releases of an app, each of which adds, removes and renames members, and uses names again.
@Suite("R22–R24: what objects hold follows from the releases, whenever they are rewritten")
struct DrawnVersionTests {
  typealias Timing = Store.Configuration.MigrationTiming

  /// How far a device came through the versions of a seed: to the end, or to a refusal.
  private static func run(_ seed: Int, _ timing: Timing, compacts: Bool) throws -> Bool {
    var versions = DrawnVersions(seed: seed)
    let fileSystem = InMemoryFileSystem()
    for version in UInt64(0)..<5 {
      versions.advance()
      let current = versions.current
      DrawnModel.drawn.withLock { $0 = current }
      for session in 0..<2 {
        let store: Store
        do throws(StoreError) {
          store = try Self.open(fileSystem, version, timing)
        } catch {
          // What cannot be told is refused; everything else is a fault.
          switch error {
          case .renamedOntoMember, .migrationNeeded: return false
          default: throw error
          }
        }
        defer { try? store.close() }
        for key in versions.objects.keys.sorted() {
          let found = try store.snapshot().object(ofType: "Drawn", key: .int(Int64(key)))
          var members = try #require(found).members
          members["id"] = nil
          guard members != versions.expected(key) else { continue }
          Issue.record(
            """
            seed \(seed), \(timing), compacts \(compacts), version \(version).\(session), \
            object \(key): \(members), and not \(versions.expected(key)): \(versions.steps)
            """)
          return false
        }
        if session == 1 { continue }
        let objects = [Int(version) * 2, Int(version) * 2 + 1].map { versions.put($0) }
        try store.write { transaction in
          for object in objects { try transaction.put(object) }
        }
        if compacts { try store.compact() }
      }
    }
    return true
  }

  private static func open(
    _ fileSystem: InMemoryFileSystem, _ version: UInt64, _ timing: Timing
  ) throws(StoreError) -> Store {
    var configuration = Store.Configuration(
      path: "/drawn", models: [DrawnModel.self], schemaVersion: version, migrationTiming: timing)
    configuration.compaction = .off
    return try Store.open(
      configuration, path: "/drawn", fileSystem: fileSystem,
      settings: MigrationOnceTests.settings)
  }

  @Test("Seeds of releases, on devices that rewrite nothing, all at open, or all by compaction")
  func releases() async throws {
    var ends: [Bool] = []
    for seed in 0..<250 {
      // Others wait for the thread.
      await Task.yield()
      for (timing, compacts) in [(.onRead, false), (.onRead, true), (.atOpen, false)]
        as [(Timing, Bool)]
      {
        ends.append(try Self.run(seed, timing, compacts: compacts))
      }
    }
    #expect(ends.filter { $0 }.count > ends.count / 2, "most come to their end")
  }
}
