import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The limits of a real process; each test has one of its own.
@Suite struct ProcessLimitTests {
  static func setOpenFileLimit(_ count: Int) -> Bool {
    var limit = rlimit()
    #if os(Linux)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return false }
    limit.rlim_cur = rlim_t(count)
    return setrlimit(resource, &limit) == 0
  }

  /// The number from which on no descriptor is in use.
  static var firstFree: Int {
    1 + ((0..<1024).last { fcntl(Int32($0), F_GETFD) != -1 } ?? 0)
  }

  @Test("P12: a real process of few descriptors reads and writes 60 segments, or names its limit")
  func openFiles() async {
    await #expect(processExitsWith: .success) {
      let temporary = try TemporaryDirectory()
      let path = "\(temporary.path)/store"
      var configuration = TestLog.configuration
      configuration.durability = .process
      configuration.openFileMaximum = 200
      let first = try Log.open(at: path, configuration: configuration)
      for start in 0..<60 {
        try TestLog.put((start * 10)..<(start * 10 + 10), first)
        try first.sealActiveSegment()
      }
      try first.close()
      let base = ProcessLimitTests.firstFree
      for readMode in [LogConfiguration.ReadMode.mapped, .buffered] {
        configuration.readMode = readMode
        var successCount = 0
        for extra in 0...40 {
          try #require(ProcessLimitTests.setOpenFileLimit(base + extra))
          do throws(LogError) {
            let log = try Log.open(at: path, configuration: configuration)
            let contents = try TestLog.contents(log)
            #expect(contents.count == 600)
            try TestLog.put(0..<20, log)
            try log.close()
            successCount += 1
          } catch {
            guard case .fileIO(let cause) = error else { throw error }
            #expect(cause.reason == .tooManyOpenFiles(limit: UInt64(base + extra)))
          }
        }
        #expect(successCount >= 35, "\(readMode), \(successCount) from \(base)")
        try #require(ProcessLimitTests.setOpenFileLimit(base + 60))
        let log = try Log.open(at: path, configuration: configuration)
        #expect(try TestLog.contents(log) == TestLog.expected(0..<600))
        try log.close()
      }
    }
  }
}
