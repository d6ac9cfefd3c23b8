import ObjectStore
import StorageTestSupport
import Testing

@testable import QuickStart

/// The examples of `Documentation/Compaction.md`, as they stand there.
@Suite("What the guide to compaction shows compiles and runs")
struct CompactionGuideTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test("A store is opened with a pace of its own, and its compaction paused")
  func settings() throws {
    let path = directory.path + "/people"

    var configuration = StoreConfiguration()
    configuration.compaction.pace = CompactionPace(
      byteCountPerSecond: 32 << 20, processorShare: 0.25)
    configuration.compaction.upgradeThrough = .olderThan(days: 14)
    let store = try Store.open(at: path, history: history, configuration: configuration)

    store.compaction.pause()  // in the middle of a step, until resume()
    print(store.compaction.statistics)  // steps, bytes, time, debt, errors

    #expect(store.compaction.statistics.activity == .paused)
    try store.close()
  }

  private static func follow(_ store: Store) async {
    for await progress in store.compaction.progress { print(progress.byteCount) }
  }

  @Test("Who follows the progress is through when the store is closed")
  func progress() async throws {
    let path = directory.path + "/people"
    let store = try Store.open(at: path, history: history)
    let task = Task { await Self.follow(store) }
    try store.close()
    await task.value
  }
}
