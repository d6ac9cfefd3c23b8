import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import Compaction

/// T-ENOSPC: whatever fills the disk, and whenever, reads go on and deleting makes room again.
@Suite struct FullDiskTests {
  struct Limits: CustomStringConvertible {
    var byteCount = 1 << 30
    var fileCount: Int?

    /// Whether there is room for what a compacted store has, its next active segment, a manifest,
    /// the next one, and the reserve.
    func haveRoomForOneSegment(beside fileSystem: SimulatedFileSystem) -> Bool {
      let names = fileSystem.snapshotOfFiles(in: "/store").keys
      // The reserve is as large as a small store, and 64 KiB.
      if byteCount < 2 * fileSystem.usedByteCount + (68 << 10) { return false }
      return fileCount.map { $0 >= names.count { $0.hasSuffix(".log") } + 6 } ?? true
    }

    func set(on fileSystem: SimulatedFileSystem) {
      fileSystem.setByteCountLimit(byteCount)
      fileSystem.setFileCountLimit(fileCount)
    }

    static func lift(on fileSystem: SimulatedFileSystem) {
      fileSystem.setByteCountLimit(nil)
      fileSystem.setFileCountLimit(nil)
    }

    var description: String { "\(byteCount) bytes, \(fileCount ?? 0) files" }
  }

  private static func hasReserve(_ fileSystem: SimulatedFileSystem) -> Bool {
    let files = fileSystem.snapshotOfFiles(in: "/store")
    return ["RESERVE", "RESERVE.2", "RESERVE.3"].allSatisfy { files[$0] != nil }
  }

  /// Fills a disk of these limits, and makes room; whether there was a reserve to do it with, or
  /// nothing when the disk never got full.
  private func perform(_ limits: Limits, killed: Bool) throws -> Bool? {
    var fileSystem = SimulatedFileSystem()
    limits.set(on: fileSystem)
    guard var store = try open(fileSystem, limits) else { return false }
    guard try store.fill(putCount: 500) else { return nil }
    #expect(try store.isComplete(), "\(limits)")
    try expectRefusals(&store, fileSystem, limits)
    let hadReserve = Self.hasReserve(fileSystem)
    if killed {
      fileSystem = fileSystem.afterCrash(.processKill)
      limits.set(on: fileSystem)
      store = try store.afterKill(fileSystem)
      #expect(try store.isComplete(), "\(limits), killed")
    }
    do {
      try store.deleteHalf()
      #expect(try store.isComplete(), "\(limits)")
      try store.compact()
      #expect(try store.isComplete(), "\(limits)")
      if limits.haveRoomForOneSegment(beside: fileSystem) { try store.put(1000) }
      try store.log.close()
    } catch {
      guard case .diskFull = error, !hadReserve else { throw CaseFailure("\(limits): \(error)") }
    }
    try? store.log.close()
    try store.reopen(on: fileSystem)
    #expect(try store.isComplete(), "\(limits), opened again")
    Limits.lift(on: fileSystem)
    try store.put(1001)
    #expect(try store.isComplete(), "\(limits)")
    try store.log.close()
    let report = try LogVerifier.verify("/store", fileSystem: fileSystem)
    #expect(report.isIntact && report.notes.isEmpty, "\(limits): \(report)")
    return hadReserve
  }

  /// Nothing when there is not even room for an empty store; then there is none, and later one.
  private func open(_ fileSystem: SimulatedFileSystem, _ limits: Limits) throws -> FullStore? {
    do throws(LogError) {
      return try FullStore(fileSystem)
    } catch {
      #expect(error.isDiskFull, "\(limits): \(error)")
      Limits.lift(on: fileSystem)
      var store = try FullStore(fileSystem)
      try store.put(1)
      return nil
    }
  }

  private func expectRefusals(
    _ store: inout FullStore, _ fileSystem: SimulatedFileSystem, _ limits: Limits
  ) throws {
    let used = fileSystem.usedByteCount
    for _ in 0..<3 {
      do throws(LogError) {
        // Small ones may still fit.
        try store.put(7)
      } catch {
        guard case .diskFull(_, _, let free) = error else { throw error }
        #expect(free != nil)
        #expect(fileSystem.usedByteCount <= used + 2048, "\(limits): a failed put left something")
      }
    }
    #expect(try store.isComplete(), "\(limits)")
  }

  @Test(
    "P11: a disk of any size gets full: reads go on, deleting and compacting makes room again",
    arguments: [false, true])
  func everySize(killed: Bool) throws {
    var counts: [Bool?: Int] = [:]
    for byteCount in stride(from: 0, through: 240 << 10, by: 4 << 10) {
      counts[try perform(Limits(byteCount: byteCount), killed: killed), default: 0] += 1
    }
    print("T-ENOSPC, killed \(killed): \(counts)")
    #expect(counts[true, default: 0] >= 20)
    #expect(counts[nil, default: 0] >= 1)
  }

  @Test(
    "P11: a disk without inodes: reads go on, deleting and compacting makes room again",
    arguments: [false, true])
  func everyFileCount(killed: Bool) throws {
    var counts: [Bool?: Int] = [:]
    for fileCount in 0...24 {
      counts[try perform(Limits(fileCount: fileCount), killed: killed), default: 0] += 1
    }
    print("T-ENOSPC, inodes, killed \(killed): \(counts)")
    #expect(counts[true, default: 0] >= 5)
    #expect(counts[nil, default: 0] >= 1)
  }

  @Test("P11: a compaction that was ended while segments found no room was ended early")
  func endedWithoutRoom() throws {
    let fileSystem = SimulatedFileSystem()
    Limits(byteCount: 400 << 10).set(on: fileSystem)
    var store = try FullStore(fileSystem)
    for number in 0..<100 { try store.put(number) }
    #expect(store.log.giveUpReserve())
    fileSystem.setByteCountLimit(fileSystem.usedByteCount)
    let compactor = Compactor(store.log, upgrader: CompactorTests.AppendingUpgrader())
    let report = try compactor.run(includingActive: false) { $0.stepCount < $0.stepCountTotal }
    #expect(report.upgradedCount == 0)
    #expect(report.wasCancelled)
    #expect(throws: LogError.self) { try compactor.run(includingActive: false) }
    Limits.lift(on: fileSystem)
    #expect(try !compactor.run(includingActive: false).wasCancelled)
    try store.log.close()
  }

  /// Calls `body` before a segment's file is made, but not for what `body` writes.
  private final class OutputWatch: Sendable {
    struct State {
      var callCount = 0
      var isCalling = false
      var body: (@Sendable () -> Void)?
    }
    let state = Lock(State())

    func note(_ call: ObservedFileSystem.Call, _ fileSystem: SimulatedFileSystem) {
      guard case .open(let name) = call, name.description.hasSuffix(".log"),
        fileSystem.snapshotOfFiles(in: "/store")[name.description] == nil
      else { return }
      let body = state.withLock { state in
        guard !state.isCalling, let body = state.body else { return nil as (@Sendable () -> Void)? }
        state.callCount += 1
        // So that it ends in any case.
        guard state.callCount < 100 else { return nil }
        state.isCalling = true
        return body
      }
      body?()
      if body != nil { state.withLock { $0.isCalling = false } }
    }
  }

  @Test("P11: a compaction whose reserve puts make again and again comes to an end")
  func contestedReserve() throws {
    let simulated = SimulatedFileSystem()
    let watch = OutputWatch()
    let fileSystem = ObservedFileSystem(simulated) { watch.note($0, simulated) }
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 1 << 20
    configuration.segmentByteCountMaximum = 1 << 20
    configuration.compression = .none
    configuration.maintenance = .inline
    configuration.durability = .process
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    @Sendable func put(_ numbers: [Int]) throws(LogError) {
      let batch = log.makeBatch()
      for number in numbers {
        let key = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
        let payload = [UInt8](repeating: 7, count: 1000)
        try batch.put(key, in: FullStore.people, schemaVersion: 0, payload: payload)
      }
      try log.commit(batch)
    }
    // So that it knows what is free.
    simulated.setByteCountLimit(1 << 30)
    try put([Int](0..<1400))
    try put((0..<460).map { 3 * $0 })
    try log.sealActiveSegment()
    try put([2000])
    #expect(try log.statistics().reserveByteCount > 0)
    simulated.setByteCountLimit(simulated.usedByteCount)
    watch.state.withLock { state in
      state.body = { do throws(LogError) { try put([2000]) } catch {} }
    }
    do throws(LogError) { _ = try Compactor(log).run(includingActive: false) } catch {
      #expect(error.isDiskFull)
    }
    let callCount = watch.state.withLock { state in
      state.body = nil
      return state.callCount
    }
    #expect((1..<20).contains(callCount))
    simulated.setByteCountLimit(nil)
    _ = try Compactor(log).run()
    try log.close()
    #expect(try LogVerifier.verify("/store", fileSystem: fileSystem).isIntact)
  }

  @Test("P11: puts use nothing of what the reserve left, and go on when it was made again")
  func putsLeaveTheReserveAlone() throws {
    let fileSystem = SimulatedFileSystem()
    let limits = Limits(byteCount: 200 << 10)
    limits.set(on: fileSystem)
    var store = try FullStore(fileSystem)
    #expect(try store.fill(putCount: 500))
    let before = fileSystem.usedByteCount
    #expect(store.log.giveUpReserve())
    let used = fileSystem.usedByteCount
    #expect(used <= before - (64 << 10))
    fileSystem.setByteCountLimit(used + (50 << 10))
    for number in 0..<20 {
      #expect(throws: LogError.self) { try store.put(number) }
    }
    #expect(fileSystem.usedByteCount == used)
    fileSystem.setByteCountLimit(300 << 10)
    try store.put(1)
    #expect(Self.hasReserve(fileSystem))
    #expect(try store.isComplete())
    try store.log.close()
  }

  @Test("P11: a reserve may be anything but plain: nothing fails, nothing outside is touched")
  func foreignReserve() throws {
    let temporary = try TemporaryDirectory()
    let path = temporary.path + "/store"
    let outside = try POSIXFileSystem().openDirectory(at: temporary.path, create: false)
    var store = try FullStore(POSIXFileSystem(), path)
    try store.put(1)
    try store.log.close()
    let directory = try POSIXFileSystem().openDirectory(at: path, create: false)
    try directory.remove(try #require(FileName("RESERVE")))
    _ = try POSIXFileSystem().openDirectory(at: path + "/RESERVE", create: true)
    try store.reopen(on: POSIXFileSystem())
    for number in 0..<60 { try store.put(number) }
    try store.deleteHalf()
    try store.compact()
    #expect(try store.log.statistics().reserveByteCount == 0)
    #expect(!store.log.giveUpReserve())
    #expect(try store.isComplete())
    try store.log.close()
    #expect(try outside.list() == ["store"])
  }

  @Test("P11: the reserve follows the size of the store, up to its maximum")
  func sizes() throws {
    let fileSystem = SimulatedFileSystem()
    Limits().set(on: fileSystem)
    var store = try FullStore(fileSystem)
    #expect(try store.log.statistics().reserveByteCount == 0)
    try store.put(1)
    #expect(try store.log.statistics().reserveByteCount >= 64 << 10)
    for number in 0..<60 { try store.put(number) }
    // Five quarters of a segment of 8 KiB, two indexes, two manifests, and 64 KiB, in whole pages.
    #expect(try store.log.statistics().reserveByteCount == 80 << 10)
    try store.log.close()
    let files = fileSystem.snapshotOfFiles(in: "/store")
    #expect(files["RESERVE"]?.count == 80 << 10)
    #expect(files["RESERVE"]?.allSatisfy { $0 == 0 } == true)
    #expect(files["RESERVE.2"] == [])
    #expect(files["RESERVE.3"] == [])
  }

  @Test("P11: a store that became smaller gives back what its reserve does not need any more")
  func shrinks() throws {
    let fileSystem = SimulatedFileSystem()
    Limits().set(on: fileSystem)
    var configuration = LogConfiguration()
    configuration.segmentByteCountMinimum = 8 << 10
    configuration.compression = .none
    configuration.maintenance = .inline
    configuration.randomSource = SeededRandomSource(seed: 5)
    configuration.timeSource = ManualTimeSource()
    let log = try Log.open(at: "/store", configuration: configuration, fileSystem: fileSystem)
    func commit(_ change: (WriteBatch, [UInt8]) throws -> Void) throws {
      for number in UInt8(0)..<200 {
        let batch = log.makeBatch()
        try change(batch, [number])
        try log.commit(batch)
      }
    }
    let payload = [UInt8](repeating: 7, count: 8 << 10)
    try commit { try $0.put($1, in: FullStore.people, schemaVersion: 0, payload: payload) }
    let before = try log.statistics().reserveByteCount
    #expect(before > 100 << 10)
    try commit { try $0.delete($1, in: FullStore.people) }
    try Compactor(log).run()
    let after = try log.statistics().reserveByteCount
    #expect(after >= 64 << 10 && after <= 76 << 10, "\(before), then \(after)")
    #expect(fileSystem.snapshotOfFiles(in: "/store")["RESERVE"]?.count == Int(after))
    try commit { try $0.put($1, in: FullStore.people, schemaVersion: 0, payload: payload) }
    #expect(try log.statistics().reserveByteCount == before)
    try log.close()
  }
}
