import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct FirstFailureTests {
  @Test("P10: what failed once fails for all that come later, and is not tried again")
  func failureStays() {
    let failure = FirstFailure()
    let cause = FileIOError(.ioError, operation: "synchronize", path: "/store/a")
    var count = 0
    #expect(throws: Never.self) {
      try failure.remembering { () throws(FileIOError) in count += 1 }
    }
    for _ in 0..<3 {
      #expect(throws: FileIOError.self) {
        try failure.remembering { () throws(FileIOError) in
          count += 1
          throw cause
        }
      }
    }
    #expect(throws: FileIOError.self) {
      try failure.remembering { () throws(FileIOError) in count += 1 }
    }
    #expect(count == 2)
  }

  @Test("P10: a directory that could not be synchronized once fails whoever comes later")
  func directoriesRemember() throws {
    let calls = Lock((count: 0, fails: true))
    let observed = ObservedFileSystem(InMemoryFileSystem()) { call throws(FileIOError) in
      guard call == .synchronizeDirectory else { return }
      let fails = calls.withLock { calls in
        calls.count += 1
        return calls.fails
      }
      if fails { throw FileIOError(.ioError, operation: "synchronize", path: "/store") }
    }
    let inner = try observed.openDirectory(at: "/store", create: true)
    let directory = MeteredDirectory(inner, WriteMeter(ActivityCounters(), LogConfiguration()))
    #expect(throws: FileIOError.self) { try directory.synchronize() }
    // The system has told of it, and would not again.
    calls.withLock { calls in calls.fails = false }
    #expect(throws: FileIOError.self) { try directory.synchronize() }
    #expect(calls.withLock { calls in calls.count } == 1)
  }
}
