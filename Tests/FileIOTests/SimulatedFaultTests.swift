import FileIO
import StorageTestSupport
import Testing

@Suite("The simulated file system, failing")
struct SimulatedFaultTests {
  let name = FileName(valid: "log")

  private func prepared(
    _ contents: [UInt8]
  ) throws -> (SimulatedFileSystem, any Directory, any File) {
    let fileSystem = SimulatedFileSystem(files: ["log": contents], in: "d")
    let directory = try fileSystem.openDirectory(at: "d", create: false)
    return (fileSystem, directory, try directory.open(name, .readWrite))
  }

  private func survivors(_ fileSystem: SimulatedFileSystem) -> Set<[UInt8]?> {
    let point = fileSystem.crashPoint()
    return Set(point.choices().map { point.afterCrash($0).snapshotOfFiles(in: "d")["log"] })
  }

  @Test("a planned operation fails once, without effect (P9)")
  func oneFailure() throws {
    let (fileSystem, _, file) = try prepared([1])
    fileSystem.setFaults([FaultPlan(operation: fileSystem.operationCount + 2, .fail(.noSpace))])
    try file.write([[2]], at: 0)
    #expect(failure { try file.write([[3]], at: 0) } == .noSpace)
    #expect(try file.contents() == [2])
    try file.write([[4]], at: 0)
    #expect(try file.contents() == [4])
  }

  @Test("a permanent failure stays, for the chosen kinds of operation (P9)")
  func permanentFailure() throws {
    let (fileSystem, _, file) = try prepared([1])
    fileSystem.setFaults([
      FaultPlan(operation: 1, .fail(.ioError), isPermanent: true, kinds: [.write, .truncate])
    ])
    for _ in 0..<3 {
      #expect(failure { try file.write([[3]], at: 0) } == .ioError)
      #expect(failure { try file.truncate(to: 0) } == .ioError)
    }
    #expect(try file.contents() == [1])
  }

  @Test("a short write leaves its first bytes (P9)")
  func shortWrite() throws {
    let (fileSystem, _, file) = try prepared([1])
    let fault = FaultPlan.Effect.shortWrite(byteCount: 3, .noSpace)
    fileSystem.setFaults([FaultPlan(operation: fileSystem.operationCount + 1, fault)])
    #expect(failure { try file.write([[2, 3], [4, 5]], at: 1) } == .noSpace)
    #expect(try file.contents() == [1, 2, 3, 4])
  }

  @Test("a dead process changes nothing more and cannot read")
  func death() throws {
    let (fileSystem, directory, file) = try prepared([1])
    fileSystem.crash(afterOperation: fileSystem.operationCount + 1)
    try file.write([[2]], at: 0)
    #expect(fileSystem.isDead)
    #expect(failure { try file.write([[3]], at: 0) } == .ioError)
    #expect(failure { try file.synchronize() } == .ioError)
    #expect(failure { try directory.remove(name) } == .ioError)
    #expect(failure { _ = try fileSystem.openDirectory(at: "d", create: true) } == .ioError)
    #expect(fileSystem.afterCrash(.processKill).snapshotOfFiles(in: "d") == ["log": [2]])
  }

  @Test("death inside a write leaves its first bytes")
  func deathInWrite() throws {
    let (fileSystem, _, file) = try prepared([])
    let fault = FaultPlan.Effect.deathInWrite(byteCount: 2)
    fileSystem.setFaults([FaultPlan(operation: fileSystem.operationCount + 1, fault)])
    #expect(failure { try file.write([[1, 2, 3]], at: 0) } == .ioError)
    #expect(fileSystem.isDead)
    #expect(fileSystem.afterCrash(.processKill).snapshotOfFiles(in: "d") == ["log": [1, 2]])
  }

  @Test("dying before the first operation leaves everything as it was")
  func deathAtOnce() throws {
    let fileSystem = SimulatedFileSystem(files: ["log": [1]], in: "d")
    fileSystem.crash(afterOperation: 0)
    #expect(failure { _ = try fileSystem.openDirectory(at: "d", create: false) } == .ioError)
  }

  @Test("a failed synchronization may keep the page and never write it (P10)")
  func keptAndMarkedClean() throws {
    let (fileSystem, _, file) = try failedSynchronization(.keptAndMarkedClean)
    #expect(try file.contents() == [2] + [UInt8](repeating: 0, count: 999))
    try file.synchronize()
    #expect(survivors(fileSystem) == [[UInt8](repeating: 0, count: 1000), try file.contents()])
    let point = fileSystem.crashPoint()
    let lost = point.choices().filter { $0 != .processKill }
    for choice in lost {
      let found = point.afterCrash(choice).snapshotOfFiles(in: "d")["log"]
      #expect(found == [UInt8](repeating: 0, count: 1000), "\(choice)")
    }
    try file.write([[3]], at: 999)
    try file.synchronize()
    let durable = fileSystem.snapshotOfDurableFiles(in: "d")["log"]
    #expect(durable == [UInt8](repeating: 0, count: 999) + [3])
  }

  @Test("a failed synchronization may bring the old bytes back (P10)")
  func reverted() throws {
    let (fileSystem, _, file) = try failedSynchronization(.reverted)
    #expect(try file.contents() == [UInt8](repeating: 0, count: 1000))
    try file.synchronize()
    #expect(survivors(fileSystem) == [[UInt8](repeating: 0, count: 1000)])
  }

  @Test("a failed synchronization may fail for ever (P10)")
  func sticky() throws {
    let (fileSystem, directory, file) = try failedSynchronization(.sticky)
    for _ in 0..<3 {
      #expect(failure { try file.synchronize() } == .ioError)
      #expect(failure { try directory.synchronize() } == .ioError)
    }
    #expect(try file.contents().first == 2)
    #expect(fileSystem.snapshotOfDurableFiles(in: "d")["log"]?.first == 0)
  }

  /// The first of 1000 zeros is overwritten by 2, and synchronizing that fails.
  private func failedSynchronization(
    _ model: SynchronizationFailure
  ) throws -> (SimulatedFileSystem, any Directory, any File) {
    let prepared = try prepared([UInt8](repeating: 0, count: 1000))
    let (fileSystem, _, file) = prepared
    try file.write([[2]], at: 0)
    let number = fileSystem.operationCount + 1
    fileSystem.setFaults([FaultPlan(operation: number, .failedSynchronization(model))])
    #expect(failure { try file.synchronize() } == .ioError)
    return prepared
  }

  @Test("a full disk takes the bytes that fit, and removing gives room (P11)")
  func byteCountLimit() throws {
    let (fileSystem, directory, file) = try prepared([1, 2])
    fileSystem.setByteCountLimit(5)
    #expect(failure { try file.write([[3, 4], [5, 6]], at: 2) } == .noSpace)
    #expect(try file.contents() == [1, 2, 3, 4, 5])
    try file.write([[9]], at: 0)
    #expect(failure { try file.allocate(0..<6) } == .noSpace)
    #expect(failure { try file.truncate(to: 6) } == .noSpace)
    let other = try directory.open(FileName(valid: "other"), .createNew)
    #expect(failure { try other.write([[1]], at: 0) } == .noSpace)
    #expect(try other.size() == 0)
    try file.truncate(to: 4)
    try other.write([[1]], at: 0)
    #expect(fileSystem.usedByteCount == 5)
  }

  @Test("a removed file takes up room until its last handle is closed (P11)")
  func removedFiles() throws {
    let fileSystem = SimulatedFileSystem(files: ["log": [1, 2, 3]], in: "d")
    let directory = try fileSystem.openDirectory(at: "d", create: false)
    var file: (any File)? = try directory.open(name, .read)
    try directory.remove(name)
    #expect(fileSystem.usedByteCount == 3)
    #expect(try file?.contents() == [1, 2, 3])
    file = nil
    #expect(fileSystem.usedByteCount == 0)
  }

  @Test("there may be too many files (P11)")
  func fileCountLimit() throws {
    let (fileSystem, directory, _) = try prepared([1])
    fileSystem.setFileCountLimit(1)
    let other = FileName(valid: "other")
    #expect(failure { _ = try directory.open(other, .createNew) } == .noSpace)
    fileSystem.setFileCountLimit(2)
    _ = try directory.open(other, .createNew)
  }

  @Test("damage is seen by handles and survives")
  func damage() throws {
    let (fileSystem, _, file) = try prepared([1, 2, 3])
    fileSystem.flipBit(7, of: "log", in: "d", at: 0)
    fileSystem.overwrite("log", in: "d", at: 2, with: [9, 9])
    #expect(try file.contents() == [129, 2, 9])
    #expect(survivors(fileSystem) == [[129, 2, 9]])
    fileSystem.replaceContents(of: "new", in: "d", with: [5])
    fileSystem.removeFile("log", in: "d")
    #expect(fileSystem.snapshotOfFiles(in: "d") == ["new": [5]])
    #expect(fileSystem.snapshotOfDurableFiles(in: "d") == ["new": [5]])
  }

  @Test("a pristine copy has nothing of the original's troubles")
  func pristineCopy() throws {
    let (fileSystem, directory, file) = try prepared([1])
    try directory.lock(.exclusive)
    try file.write([[2]], at: 0)
    fileSystem.crash(afterOperation: 0)
    let copy = fileSystem.pristineCopy()
    let again = try copy.openDirectory(at: "d", create: false)
    try again.lock(.exclusive)
    try again.open(name, .readWrite).write([[3]], at: 0)
    #expect(copy.snapshotOfFiles(in: "d") == ["log": [3]])
    #expect(fileSystem.snapshotOfFiles(in: "d") == ["log": [2]])
    #expect(copy.operationCount == 4)
  }

  @Test("the trace keeps the last fifty operations and marks failures")
  func trace() throws {
    let (fileSystem, _, file) = try prepared([1])
    for _ in 0..<60 { _ = try file.size() }
    fileSystem.setFaults([FaultPlan(operation: 63, .fail(.ioError))])
    #expect(failure { try file.write([[1]], at: 7) } == .ioError)
    let lines = fileSystem.trace.description.split(separator: "\n")
    #expect(lines.count == 50)
    #expect(lines.first == "14 size d/log offset 0 count 0")
    #expect(lines.last == "63 write d/log offset 7 count 1 FAILED")
  }

  @Test("a failure in one of many cases names the case")
  func caseFailures() {
    let error = #expect(throws: CaseFailure.self) {
      try withEvery(10..<20) { value in try check(value < 15, "it is too large") }
    }
    #expect(error?.description == "case 5, 15: it is too large")
  }
}
