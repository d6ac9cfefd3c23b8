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
}
