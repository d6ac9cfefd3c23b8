import FileIO
import StorageTestSupport
import Testing

@testable import ObjectStore

extension DrawnVersionTests {
  /// A device that sees all versions of a seed.
  private struct NamesDevice {
    let timing: Timing
    let fileSystem = InMemoryFileSystem()
    var names: DrawnNames
    var random: SeededGenerator
    /// What members, by their numbers, held when objects were looked at last, by their keys.
    var known: [Int: [Int: Value]] = [:]
    /// The versions in which objects are stored.
    var versions: [Int: Int] = [:]

    init(_ seed: Int, _ habits: DrawnNames.Habits, _ timing: Timing) {
      self.timing = timing
      names = DrawnNames(seed: seed, habits: habits)
      random = SeededGenerator(seed: UInt64(seed + 1_000_000))
    }

    /// What differs, if anything does.
    mutating func run() throws -> String? {
      for _ in 0..<Int.random(in: 4...7, using: &random) {
        names.advance()
        let model = names.model
        DrawnModel.drawn.withLock { $0 = model }
        for session in 0..<Int.random(in: 1...3, using: &random) {
          if session > 0 { names.remember() }
          if let fault = try useStore() { return "\(fault), session \(session)" }
        }
      }
      return nil
    }

    private mutating func useStore() throws -> String? {
      var configuration = Store.Configuration(
        path: "/drawn", models: [DrawnModel.self], schemaVersion: UInt64(names.number),
        migrationBlock: names.block, migrationTiming: timing)
      configuration.compaction = .off
      let store = try Store.open(
        configuration, path: "/drawn", fileSystem: fileSystem,
        settings: MigrationOnceTests.settings)
      defer { try? store.close() }
      for key in known.keys.sorted() {
        let found = try store.snapshot().object(ofType: "Drawn", key: .int(Int64(key)))
        for member in names.members {
          let value = found?.members[member.name]
          if let fault = difference(key, member, value) { return fault }
          known[key]?[member.number] = value
        }
        if timing == .atOpen { versions[key] = names.number }
      }
      let again = known.keys.sorted().filter { _ in Int.random(in: 0..<8, using: &random) == 0 }
      for key in again + [known.count] { try put(key, store) }
      return nil
    }

    /// What is wrong with what an object has as a member, if anything is.
    private func difference(_ key: Int, _ member: DrawnNames.Member, _ value: Value?) -> String? {
      guard let held = known[key], let before = held[member.number] else { return nil }
      let stored = versions[key] ?? 0
      var isRight = value == before
      if let old = names.remembered[member.number], names.has(old, in: stored),
        !names.hasRestored
      {
        // What one was is clear, so that what it held has to come back.
        isRight = value == held[old]
      } else if names.restored.contains(member.number), !names.has(member.number, in: stored) {
        // What is brought back only objects get that lack the member, and of no other one that the
        // version has: which that is, parts say by names, which several had.
        isRight =
          isRight
          || held.contains { number, text in
            !names.has(number, in: names.number)
              && (value == text || value == DrawnNames.initial(number))
          }
      }
      if isRight { return nil }
      return "object \(key), stored in \(stored), has \(String(describing: value)) as "
        + "\(member.name), and had \(before)"
    }

    private mutating func put(_ key: Int, _ store: Store) throws {
      var object = DrawnModel()
      object.id = key
      known[key] = [:]
      versions[key] = names.number
      for member in names.members {
        let value = Value.string("\(member.number) of \(key) in \(names.number)")
        object.values[member.name] = value
        known[key]?[member.number] = value
      }
      try store.write { try $0.put(object) }
    }
  }

  @Test(
    "What a version read of a member the next one reads, whatever names kept parts say",
    arguments: [
      DrawnNames.Habits(), DrawnNames.Habits(drops: true), DrawnNames.Habits(exchanges: true),
      DrawnNames.Habits(forgets: true), DrawnNames.Habits(drops: true, forgets: true),
      DrawnNames.Habits(restores: true), DrawnNames.Habits(restores: true, forgets: true),
      DrawnNames.Habits(drops: true, restores: true, forgets: true),
    ])
  func names(habits: DrawnNames.Habits) async throws {
    var refused: Set<Int> = []
    let timings: [Timing] = [.onRead, .atOpen]
    for seed in Self.seeds {
      // Others wait for the thread.
      await Task.yield()
      for timing in timings {
        var device = NamesDevice(seed, habits, timing)
        do {
          guard let fault = try device.run() else { continue }
          Issue.record("seed \(seed), \(habits), \(timing): \(fault): \(device.names.steps)")
        } catch StoreError.renamedOntoMember {
          refused.insert(seed)
          if Self.isTalking { print("seed \(seed), \(habits): refused: \(device.names.steps)") }
        } catch {
          Issue.record(error, "seed \(seed), \(habits), \(timing): \(device.names.steps)")
        }
      }
    }
    // Which of two members of a name is meant that was given up, nobody can tell. A few seeds may
    // lie together, whatever range is asked for, and both timings refuse the same ones.
    let maximum = habits.restores || habits.forgets ? 2 + Self.seeds.count / 50 : 0
    #expect(refused.count <= maximum, "parts that rename are clear: \(refused.sorted())")
  }
}
