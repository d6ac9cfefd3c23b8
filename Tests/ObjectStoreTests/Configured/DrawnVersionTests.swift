import FileIO
import Foundation
import SchemaRegistry
import StorageTestSupport
import Testing

@testable import ObjectStore

/// Releases of an app, each of which adds, removes and renames members, gives them other types by
/// code, and uses names again.
@Suite(
  "R22–R24: what objects hold follows from the releases, whenever they are rewritten", .serialized)
struct DrawnVersionTests {
  typealias Timing = Store.Configuration.MigrationTiming

  /// How far a device came through the versions of a seed.
  enum End: String {
    case atLast, unclearNames, missingCode, needlessCode, wrong
  }

  /// A device that goes through the versions of a seed.
  struct Device {
    let seed: Int
    let habits: DrawnVersions.Habits
    let timing: Timing
    let compacts: Bool
    let fileSystem = InMemoryFileSystem()
    var versions: DrawnVersions
    var skipping: SeededGenerator
    var rewriting: SeededGenerator

    init(_ seed: Int, _ habits: DrawnVersions.Habits, _ timing: Timing, compacts: Bool) {
      (self.seed, self.habits, self.timing, self.compacts) = (seed, habits, timing, compacts)
      versions = DrawnVersions(seed: seed, habits: habits)
      skipping = SeededGenerator(seed: UInt64(seed + 1_000_000))
      rewriting = SeededGenerator(seed: UInt64(seed + 2_000_000))
    }

    mutating func run() throws -> End {
      for _ in 0..<(habits.skips || habits.restores ? 7 : 5) {
        versions.advance()
        if habits.skips, Int.random(in: 0..<3, using: &skipping) == 0 { continue }
        let (number, puts) = (versions.number, versions.putVersions)
        versions.see()
        versions.bringBack { key in
          // Others have nothing older than what they saw last.
          timing == .onRead && !compacts ? puts[key]! : number - 1
        }
        let current = versions.current
        DrawnModel.drawn.withLock { $0 = current }
        for session in 0..<2 {
          do {
            if try !useStore(session) { return .wrong }
          } catch let error as StoreError {
            return try end(by: error)
          }
        }
      }
      return .atLast
    }

    /// Looks at all objects, and puts some; whether all are as they should be.
    private mutating func useStore(_ session: Int) throws -> Bool {
      let store = try open()
      defer { try? store.close() }
      for key in versions.objects.keys.sorted() {
        let found = try store.snapshot().object(ofType: "Drawn", key: .int(Int64(key)))
        var members = found?.members ?? [:]
        members["id"] = nil
        guard members != versions.expected(key) else { continue }
        Issue.record(
          """
          \(self), session \(session), object \(key): \(members), and not \
          \(versions.expected(key)): put in \(versions.putVersions), \(versions.steps)
          """)
        return false
      }
      if session == 1 { return true }
      // One of those that are there may get the version, so that none of another one is left.
      let again = versions.objects.keys.sorted().filter { _ in
        Int.random(in: 0..<8, using: &rewriting) == 0
      }
      let objects = (again + [0, 1].map { versions.number * 2 + $0 }).map { versions.put($0) }
      try store.write { transaction in
        for object in objects { try transaction.put(object) }
      }
      if compacts { try store.compact() }
      return true
    }

    private func open() throws(StoreError) -> Store {
      var configuration = Store.Configuration(
        path: "/drawn", models: [DrawnModel.self], schemaVersion: UInt64(versions.number),
        migrationBlock: versions.code.block(of: versions.number, versions.current.members),
        migrationTiming: timing)
      configuration.compaction = .off
      return try Store.open(
        configuration, path: "/drawn", fileSystem: fileSystem,
        settings: MigrationOnceTests.settings)
    }

    /// What cannot be told is refused; everything else is a fault.
    private func end(by error: StoreError) throws -> End {
      let lacksCode = versions.code.lacksCode(at: versions.number, versions.current.members)
      let end: End
      switch error {
      case .renamedOntoMember: end = .unclearNames
      // Where the block says something of the type, it is seen when it runs whether that is enough.
      case .migrationNeeded, .schema(.migrationFailed), .migrationBlockFailed:
        end = lacksCode ? .missingCode : .needlessCode
      default: throw error
      }
      if DrawnVersionTests.isTalking { print("\(self): \(end), \(error): \(versions.steps)") }
      return end
    }
  }

  static let isTalking = ProcessInfo.processInfo.environment["DRAWN_SEEDS"] != nil
  /// More than the suite's can be asked for, and from which one on.
  static let seeds = asked("DRAWN_FIRST", or: 0)..<asked("DRAWN_SEEDS", or: 16)

  private static func asked(_ name: String, or usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
  }

  @Test(
    "Seeds of releases, on devices that rewrite nothing, all at open, or all by compaction",
    arguments: [
      DrawnVersions.Habits(), DrawnVersions.Habits(retypes: true),
      DrawnVersions.Habits(skips: true), DrawnVersions.Habits(retypes: true, skips: true),
      DrawnVersions.Habits(blocks: true), DrawnVersions.Habits(embeds: true),
      DrawnVersions.Habits(skips: true, blocks: true),
      DrawnVersions.Habits(skips: true, embeds: true),
      DrawnVersions.Habits(retypes: true, blocks: true, embeds: true),
      DrawnVersions.Habits(blocks: true, restores: true),
      DrawnVersions.Habits(retypes: true, skips: true, blocks: true, embeds: true),
    ])
  func releases(habits: DrawnVersions.Habits) async throws {
    var ends: [End: Int] = [:]
    for seed in Self.seeds {
      // Others wait for the thread.
      await Task.yield()
      for (timing, compacts) in [(.onRead, false), (.onRead, true), (.atOpen, false)]
        as [(Timing, Bool)]
      {
        var device = Device(seed, habits, timing, compacts: compacts)
        do {
          ends[try device.run(), default: 0] += 1
        } catch {
          Issue.record(error, "\(device): \(device.versions.steps)")
        }
      }
    }
    if Self.isTalking { print(habits, ends) }
    let count = ends.values.reduce(0, +)
    #expect(ends[.atLast, default: 0] > count * 2 / 3, "most come to their end: \(ends)")
    // Where there is code for the type, it is asked what names do not tell.
    let askedCount = ends[.needlessCode, default: 0]
    #expect(habits.skips || askedCount == 0, "code is asked for only where it was dropped")
    let unclearCount = ends[.unclearNames, default: 0] + askedCount
    // Nor does it see which names models exchange once a block brought one of them back.
    let unclearMaximum = habits.skips ? count / 10 : habits.restores ? count / 100 : 0
    #expect(unclearCount <= unclearMaximum, "former names tell nearly all")
  }
}

extension DrawnVersionTests.Device: CustomStringConvertible {
  var description: String {
    "seed \(seed), \(habits), \(timing), compacts \(compacts), version \(versions.number)"
  }
}
