import FileIO
import LogStore
import StorageTestSupport
import Testing

@testable import LogStoreSimulation

@Suite("What the simulator lets an error be excused by")
struct LifeRunnerTests {
  /// The life that `lines` tell of, and what fails in it.
  private static func run(
    _ lines: [String], defect: Defect? = nil
  ) throws -> (life: LifeRunner, failure: SimulationFailure?) {
    let script = try SimulationScript(text: lines.joined(separator: "\n"))
    let fileSystem = SimulatedFileSystem(profile: script.knobs.profile)
    var life = LifeRunner(
      StoreCheck(knobs: script.knobs, defect: defect),
      history: CommitHistory(keyCount: script.knobs.keyCount), fileSystem: fileSystem, opening: 0)
    do throws(SimulationFailure) {
      try Defect.planting(defect) { () throws(SimulationFailure) in
        try life.run(script.lives[0].steps)
      }
    } catch { return (life, error) }
    return (life, nil)
  }

  private static let put = "commit full: put 0 size 10 token 1 version 0"

  #if PLANTED_BUGS
    @Test(
      "P9: a log that takes no more writes without a fault is found out",
      arguments: [[], ["fault 1 full-disk 1000000"], ["fault 1 error"]])
    func poisonNeedsAFault(fault: [String]) throws {
      let defect = Defect.engine(.cancellationTakenForFailure)
      let lines = [Self.put, "seal", "cancel-compaction \(UInt64.max)", Self.put] + fault
      let failure = try Self.run(lines, defect: defect).failure
      #expect(failure?.kind == .unexpectedError)
      let reopened = try Self.run([Self.put, "seal", Self.put, lines[2], "reopen"], defect: defect)
      #expect(reopened.failure != nil)
      #expect(try Self.run(lines).failure == nil)
    }
  #endif

  @Test("P9: a fault may poison the log in work whose failure is passed over")
  func passedOverFaultsMayPoison() throws {
    // An even seed: indexes are merged range by range, all but the first of which are published at
    // once. The operations are those in which the last seal does so.
    var lines = ["knob seed 2", "knob keys 6", "knob maintenance inline"]
    for token in 1...4 {
      let puts = (0..<6).map { "put \($0) size 20 token \(token) version 0" }
      lines += ["commit full: \(puts.joined(separator: ", "))", "seal"]
    }
    var poisonedCount = 0
    for operation in 36...60 {
      for effect in ["error", "synchronization keptAndMarkedClean"] {
        let fault = "fault \(operation) \(effect)"
        let (life, failure) = try Self.run(lines + [fault, Self.put, "reopen", Self.put])
        if let failure { Issue.record("\(fault): \(failure)") }
        if life.counts.failedSteps == 0, life.counts.commits < 6 { poisonedCount += 1 }
      }
    }
    #expect(poisonedCount > 0)
  }

  @Test("a poisoned log that closes without an error has promised all that it showed")
  func poisonedLogsPromiseWhenTheyClose() throws {
    var lines = ["knob seed 2", "knob keys 6", "knob maintenance inline"]
    for token in 1...4 {
      let puts = (0..<6).map { "put \($0) size 20 token \(token) version 0" }
      lines += ["commit process: \(puts.joined(separator: ", "))", "seal"]
    }
    var poisonedCount = 0
    for operation in 1...60 {
      let faulty = lines + ["fault \(operation) synchronization keptAndMarkedClean"]
      let (life, failure) = try Self.run(faulty + ["reopen"])
      if let failure { Issue.record("\(operation): \(failure)") }
      // What a seal says that it did is durable, though a merge behind it failed.
      guard life.counts.firedFaults == 1, life.counts.failedSteps == 0 else { continue }
      let durable = life.history.floor(at: Int.max, isKill: false)
      #expect(durable == life.history.sequence, "\(operation)")
      if try Self.run(faulty + [Self.put]).life.counts.commits < 5 { poisonedCount += 1 }
    }
    #expect(poisonedCount > 0)
  }

  @Test("what a failed synchronization takes away need not be found afterwards")
  func lostCommitsAreExcused() throws {
    let lines = ["commit process: put 0 size 10 token 1 version 0", "reopen"]
    for operation in 1...4 {
      let fault = "fault \(operation) synchronization reverted"
      #expect(try Self.run(lines + [fault]).failure == nil)
    }
  }

  @Test("a full disk counts where it was too full, and excuses nothing else")
  func fullDisksExcuseWhatTheyCause() throws {
    let roomy = try Self.run([Self.put, "fault 1 full-disk 1000000", "synchronize"])
    #expect(roomy.failure == nil)
    #expect(roomy.life.counts.faults == 1)
    #expect(roomy.life.counts.firedFaults == 0)
    let full = try Self.run([Self.put, "fault 1 full-disk 0", Self.put])
    #expect(full.failure == nil)
    #expect(full.life.counts.firedFaults == 1)
    #expect(full.life.counts.failedSteps == 1)
    #expect(full.life.counts.commits == 1)
  }

  @Test("only failed synchronizations that take back what was written change what is read")
  func onlyRevertingFaultsChangeReads() {
    for model in SynchronizationFailure.allCases {
      let fault = SimulatedFault(operation: 1, .synchronization(model))
      #expect(fault.mayLoseWrites)
      #expect(fault.mayRevertPages == (model == .reverted), "\(model)")
    }
    #expect(!SimulatedFault(operation: 1, .error).mayRevertPages)
  }

  @Test("no fault of a write excuses damage, nor errors that it does not cause")
  func faultsDoNotExcuseDamage() {
    let damage = LogError.corruption(CorruptionReport(file: "f", offset: 0, reason: "r"))
    let broken = FileIOError(.ioError, operation: "write", path: "f")
    let full = FileIOError(.noSpace, operation: "write", path: "f")
    let missing = FileIOError(.notFound, operation: "open", path: "f")
    let effects: [SimulatedFault.Effect] = [
      .error, .noSpace, .shortWrite(byteCount: 1), .permanentError,
      .fullDisk(byteCount: 1_000_000), .synchronization(.reverted),
    ]
    let ofRoom: [SimulatedFault.Effect] = [effects[1], effects[2], effects[4]]
    for effect in effects {
      let fault = SimulatedFault(operation: 1, effect)
      #expect(!fault.excuses(damage), "\(effect)")
      #expect(!fault.excuses(.notAStore(path: "/store"), isReverted: true), "\(effect)")
      #expect(fault.excuses(damage, isReverted: true), "\(effect)")
      let isOfRoom = ofRoom.contains(effect)
      #expect(fault.excuses(.fileIO(full)) == isOfRoom, "\(effect)")
      let told = LogError.diskFull(cause: full, needed: nil, free: nil)
      #expect(fault.excuses(told) == isOfRoom, "\(effect)")
      #expect(fault.excuses(.fileIO(broken)) == !isOfRoom, "\(effect)")
      #expect(fault.excuses(.poisoned(cause: broken)) == !fault.isOfSpace, "\(effect)")
      #expect(!fault.excuses(.fileIO(missing)), "\(effect)")
      #expect(!fault.excuses(.closed), "\(effect)")
    }
  }
}
