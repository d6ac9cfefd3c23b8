import Dispatch
import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

/// T-LOCK: twelve and more ways to get two writers into one store (P15).
@Suite struct StoreLockTests {
  private let temporary: TemporaryDirectory
  private var path: String { temporary.path + "/store" }

  init() throws { temporary = try TemporaryDirectory() }

  static func open(
    _ path: String, _ access: LogConfiguration.Access = .readWrite
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.access = access
    return try Log.open(at: path, configuration: configuration)
  }

  /// Opens the store at `path`, expecting that it is in use.
  private func expectInUse(
    _ path: String, _ access: LogConfiguration.Access = .readWrite,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do throws(LogError) {
      let log = try Self.open(path, access)
      Issue.record("a second \(access) handle was opened", sourceLocation: sourceLocation)
      try? log.close()
    } catch {
      guard case .storeIsInUse = error else {
        Issue.record("\(error)", sourceLocation: sourceLocation)
        return
      }
    }
  }

  private func withOpenLog(_ body: (Log) throws -> Void) throws {
    let log = try Self.open(path)
    try TestLog.put(0..<3, log)
    try body(log)
    try TestLog.put(3..<6, log)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<6))
    try log.close()
    try Self.open(path).close()
  }

  @Test("P15, trick 1: a second handle of the same process may read, and not write")
  func secondHandle() throws {
    try withOpenLog { _ in
      expectInUse(path)
      let reader = try Self.open(path, .readOnly)
      #expect(reader.isBesideWriter)
      #expect(try TestLog.contents(reader) == TestLog.expected(0..<3))
      try reader.close()
      expectInUse(path)
    }
  }

  @Test("P15, trick 2: other spellings of the same path")
  func otherSpellings() throws {
    try withOpenLog { _ in
      for spelling in ["/store/", "/store/.", "/./store", "//store", "/store/../store"] {
        expectInUse(temporary.path + spelling)
      }
    }
  }

  @Test("P15, trick 3: a symbolic link to the directory above it")
  func linkedParent() throws {
    try withOpenLog { _ in
      let alias = temporary.path + "/alias"
      #expect(symlink(temporary.path, alias) == 0)
      expectInUse(alias + "/store")
    }
  }

  @Test("P15, trick 4: the directory is renamed: refused under the new name, absent under the old")
  func renamed() throws {
    let moved = temporary.path + "/moved"
    try withOpenLog { _ in
      #expect(rename(path, moved) == 0)
      expectInUse(moved)
      #expect(throws: LogError.storeNotFound(path: path)) {
        var configuration = TestLog.configuration
        configuration.createIfMissing = false
        _ = try Log.open(at: path, configuration: configuration)
      }
      #expect(rename(moved, path) == 0)
    }
  }

  @Test("P15, trick 5: the directory is replaced: the new one is another store, untouched by us")
  func replaced() throws {
    let log = try Self.open(path)
    try TestLog.put(0..<3, log)
    #expect(rename(path, temporary.path + "/moved") == 0)
    let other = try Self.open(path)
    try TestLog.put(10..<20, other)
    try log.sealActiveSegment()
    try TestLog.put(3..<6, log)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<6))
    #expect(try TestLog.contents(other) == TestLog.expected(10..<20))
    try other.close()
    try log.close()
    #expect(try TestLog.contents(try Self.open(path)) == TestLog.expected(10..<20))
    let moved = try Self.open(temporary.path + "/moved")
    #expect(try TestLog.contents(moved) == TestLog.expected(0..<6))
  }

  @Test("P15, trick 6: the directory is deleted: reads go on, writes fail or stay in it")
  func deleted() throws {
    let log = try Self.open(path)
    try TestLog.put(0..<3, log)
    try FileManager.default.removeItem(atPath: path)
    #expect(try TestLog.contents(log) == TestLog.expected(0..<3))
    let other = try Self.open(path)
    #expect(throws: LogError.self) { try log.sealActiveSegment() }
    try? log.close()
    #expect(try TestLog.contents(other).isEmpty)
    try TestLog.put(7..<8, other)
    try other.close()
  }

  @Test("P15, trick 7: lock files made, locked and removed by others mean nothing")
  func tempingNames() throws {
    try withOpenLog { _ in
      for name in ["LOCK", "MANIFEST.lock", ".lock"] {
        let file = try #require(fopen(path + "/" + name, "w"))
        #expect(flock(fileno(file), LOCK_EX | LOCK_NB) == 0)
        expectInUse(path)
        fclose(file)
        unlink(path + "/" + name)
        expectInUse(path)
      }
    }
  }

  @Test("P15, trick 8: other handles of directory and files are locked, by record too, and closed")
  func otherHandlesAreClosed() throws {
    try withOpenLog { _ in
      for part in ["", "/MANIFEST"] {
        let descriptor = Foundation.open(path + part, O_RDONLY)
        #expect(descriptor >= 0)
        var record = Foundation.flock()
        record.l_type = Int16(F_RDLCK)
        _ = fcntl(descriptor, F_SETLK, &record)
        close(descriptor)
        expectInUse(path)
      }
    }
  }

  @Test("P15, trick 9: a program that was started meanwhile keeps no lock")
  func childProcess() throws {
    let log = try Self.open(path)
    try TestLog.put(0..<3, log)
    let child = try WaitingProcess("/bin/sh", ["-c", "echo ready; exec sleep 600"])
    expectInUse(path)
    try log.close()
    try Self.open(path).close()
    child.kill()
  }

  @Test(
    "P15, trick 10: the child of a fork: its death frees nothing, and while it lives we can close",
    .enabled(if: HostTools.isLinux, "needs the fork of the C library"))
  func forkedChild() async {
    await #expect(processExitsWith: .success) {
      alarm(60)
      let fork = try #require(StoreLockTests.fork)
      let temporary = try TemporaryDirectory()
      let path = temporary.path + "/store"
      let log = try StoreLockTests.open(path)
      try TestLog.put(0..<3, log)
      let brief = fork()
      if brief == 0 { _exit(0) }
      var status: Int32 = 0
      waitpid(brief, &status, 0)
      #expect(throws: LogError.self) { _ = try StoreLockTests.open(path) }
      let lasting = fork()
      if lasting == 0 {
        pause()
        _exit(0)
      }
      #expect(throws: LogError.self) { _ = try StoreLockTests.open(path) }
      try log.close()
      try StoreLockTests.open(path).close()
      kill(lasting, SIGKILL)
      waitpid(lasting, &status, 0)
      try StoreLockTests.open(path).close()
    }
  }

  private static var fork: (@convention(c) () -> pid_t)? {
    dlsym(nil, "fork").map { unsafeBitCast($0, to: (@convention(c) () -> pid_t).self) }
  }

  @Test(
    "P15, trick 11: another process holds it, is named, and is killed",
    .enabled(if: HostTools.canHoldLocks, "SKIPPED: needs the flock command"))
  func killedProcess() throws {
    try Self.open(path).close()
    let flock = try #require(HostTools.path(of: "flock"))
    let holder = try WaitingProcess(
      flock, ["--no-fork", "--exclusive", path, "sh", "-c", "echo ready; exec sleep 600"])
    #expect(
      throws: LogError.storeIsInUse(
        path: path, holder: HostTools.isLinux ? holder.identifier : nil)
    ) { _ = try Self.open(path) }
    holder.kill()
    try Self.open(path).close()
  }

  @Test("P15, trick 12: an opening that failed keeps no lock")
  func failedOpening() throws {
    try Self.open(path).close()
    let manifest = path + "/MANIFEST"
    #expect(rename(manifest, temporary.path + "/kept") == 0)
    #expect(FileManager.default.createFile(atPath: manifest, contents: Data([1, 2, 3])))
    #expect(throws: LogError.self) { _ = try Self.open(path) }
    #expect(rename(temporary.path + "/kept", manifest) == 0)
    try Self.open(path).close()
  }

  @Test("P15, trick 13: readers exclude the writer, and not each other")
  func readers() throws {
    let log = try Self.open(path)
    try TestLog.put(0..<3, log)
    try log.close()
    let first = try Self.open(path, .readOnly)
    let second = try Self.open(path, .readOnly)
    expectInUse(path)
    try first.close()
    expectInUse(path)
    try second.close()
    try Self.open(path).close()
  }

  @Test("P15, trick 14: 50 races of 8 threads: one wins each time")
  func races() throws {
    try Self.open(path).close()
    let path = path
    for race in 0..<50 {
      let winners = Lock<[Log]>([])
      let others = Lock(0)
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        do throws(LogError) {
          let log = try Self.open(path)
          winners.withLock { winners in winners.append(log) }
        } catch {
          if case .storeIsInUse = error { others.withLock { others in others += 1 } }
        }
      }
      let logs = winners.withLock { winners in winners }
      #expect(logs.count == 1 && others.withLock { others in others } == 7, "race \(race)")
      for log in logs { try log.close() }
    }
  }
}
