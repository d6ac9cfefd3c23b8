import FileIO
import Foundation
import StorageTestSupport
import Testing

/// What every file system must do alike, so that a store cannot tell them apart.
@Suite("Every file system")
struct FileSystemConformanceTests {
  typealias Kind = FileSystemUnderTest.Kind
  private let temporary: TemporaryDirectory
  let first = FileName(valid: "first.log")
  let second = FileName(valid: "second.log")

  init() throws { temporary = try TemporaryDirectory() }

  @Test("a missing directory is reported, or created on demand", arguments: Kind.allCases)
  func directories(_ kind: Kind) throws {
    let subject = try FileSystemUnderTest(kind, in: temporary)
    let reason = failure {
      _ = try subject.fileSystem.openDirectory(at: subject.path, create: false)
    }
    #expect(reason == .notFound)
    #expect(try subject.open().list() == [])
    #expect(try subject.open().path == subject.path)
    let again = try subject.fileSystem.openDirectory(at: subject.path + "/", create: false)
    #expect(try again.list() == [])
  }

  @Test("a file is created once, then opened", arguments: Kind.allCases)
  func creation(_ kind: Kind) throws {
    let directory = try FileSystemUnderTest(kind, in: temporary).open()
    #expect(failure { _ = try directory.open(first, .read) } == .notFound)
    #expect(failure { _ = try directory.open(first, .readWrite) } == .notFound)
    let file = try directory.open(first, .createNew)
    #expect(try file.size() == 0)
    #expect(failure { _ = try directory.open(first, .createNew) } == .alreadyExists)
    #expect(try directory.open(first, .read).size() == 0)
  }

  @Test("what is written is read, through every handle", arguments: Kind.allCases)
  func writing(_ kind: Kind) throws {
    let directory = try FileSystemUnderTest(kind, in: temporary).open()
    let file = try directory.open(first, .createNew)
    let other = try directory.open(first, .read)
    try file.write([[1, 2, 3], [], [4], [5, 6]], at: 0)
    #expect(try other.contents() == [1, 2, 3, 4, 5, 6])
    try file.write([[9]], at: 2)
    #expect(try other.contents() == [1, 2, 9, 4, 5, 6])
    try file.write([[7], [8]], at: 5)
    #expect(try other.contents() == [1, 2, 9, 4, 5, 7, 8])
    try file.write([], at: 100)
    try file.write([[]], at: 100)
    #expect(try file.size() == 7)
    try file.synchronize()
    try directory.synchronize()
    #expect(try other.bytes(3, at: 4) == [5, 7, 8])
  }

  @Test("thousands of parts are written in their order", arguments: Kind.allCases)
  func manyParts(_ kind: Kind) throws {
    let file = try FileSystemUnderTest(kind, in: temporary).open().open(first, .createNew)
    var generator = SeededGenerator(seed: 3)
    let parts = (0..<5000).map { index in generator.bytes(index % 7) }
    try file.write(parts, at: 3)
    #expect(try file.contents() == [0, 0, 0] + Array(parts.joined()))
  }

  @Test("reads stop at the end of the file", arguments: Kind.allCases)
  func readingPastTheEnd(_ kind: Kind) throws {
    let file = try FileSystemUnderTest(kind, in: temporary).open().open(first, .createNew)
    try file.write([[1, 2, 3]], at: 0)
    #expect(try file.bytes(10, at: 1) == [2, 3])
    #expect(try file.bytes(10, at: 3) == [])
    #expect(try file.bytes(0, at: 0) == [])
    for offset in [4, UInt64(Int64.max), UInt64(Int64.max) + 1, UInt64.max] {
      #expect(try file.bytes(10, at: offset) == [])
    }
  }

  @Test("a gap before a write is filled with zeros", arguments: Kind.allCases)
  func gaps(_ kind: Kind) throws {
    let file = try FileSystemUnderTest(kind, in: temporary).open().open(first, .createNew)
    try file.write([[1]], at: 0)
    try file.write([[2]], at: 1000)
    #expect(try file.contents() == [1] + [UInt8](repeating: 0, count: 999) + [2])
  }

  @Test("truncating cuts, and grows with zeros", arguments: Kind.allCases)
  func truncation(_ kind: Kind) throws {
    let file = try FileSystemUnderTest(kind, in: temporary).open().open(first, .createNew)
    try file.write([[1, 2, 3, 4]], at: 0)
    try file.truncate(to: 2)
    #expect(try file.contents() == [1, 2])
    try file.truncate(to: 5)
    #expect(try file.contents() == [1, 2, 0, 0, 0])
    try file.truncate(to: 0)
    #expect(try file.size() == 0)
  }

  @Test("allocating grows with zeros and never cuts", arguments: Kind.allCases)
  func allocation(_ kind: Kind) throws {
    let file = try FileSystemUnderTest(kind, in: temporary).open().open(first, .createNew)
    try file.write([[1, 2]], at: 0)
    try file.allocate(1..<6)
    #expect(try file.contents() == [1, 2, 0, 0, 0, 0])
    try file.allocate(0..<3)
    try file.allocate(9..<9)
    #expect(try file.size() == 6)
  }

  @Test("sizes no file can have are refused, never trapped on", arguments: Kind.allCases)
  func impossibleSizes(_ kind: Kind) throws {
    let file = try FileSystemUnderTest(kind, in: temporary).open().open(first, .createNew)
    for size in [UInt64(Int64.max) + 1, UInt64.max] {
      #expect(throws: FileIOError.self) { try file.truncate(to: size) }
      #expect(throws: FileIOError.self) { try file.allocate(0..<size) }
      #expect(throws: FileIOError.self) { try file.write([[1]], at: size) }
      #expect(throws: FileIOError.self) { try file.write([[1], [2]], at: size) }
    }
    #expect(try file.size() == 0)
  }

  @Test("a handle opened for reading changes nothing", arguments: Kind.allCases)
  func readOnlyHandles(_ kind: Kind) throws {
    let directory = try FileSystemUnderTest(kind, in: temporary).open()
    try directory.open(first, .createNew).write([[1]], at: 0)
    let file = try directory.open(first, .read)
    #expect(failure { try file.write([[2]], at: 0) } == .permissionDenied)
    #expect(failure { try file.truncate(to: 0) } == .permissionDenied)
    #expect(failure { try file.allocate(0..<9) } == .permissionDenied)
    #expect(try file.contents() == [1])
    try directory.open(first, .readWrite).write([[2]], at: 1)
    #expect(try file.contents() == [1, 2])
  }

  @Test("names are listed in ascending order", arguments: Kind.allCases)
  func listing(_ kind: Kind) throws {
    let directory = try FileSystemUnderTest(kind, in: temporary).open()
    for name in ["b", "a", "C", "a.1", "Z-9"] {
      _ = try directory.open(FileName(valid: name), .createNew)
    }
    #expect(try directory.list() == ["C", "Z-9", "a", "a.1", "b"])
    #expect(try directory.list().count == 5)
  }

  @Test("renaming replaces the target; its open handles keep their bytes", arguments: Kind.allCases)
  func renaming(_ kind: Kind) throws {
    let directory = try FileSystemUnderTest(kind, in: temporary).open()
    let source = try directory.open(first, .createNew)
    try source.write([[1]], at: 0)
    let target = try directory.open(second, .createNew)
    try target.write([[2]], at: 0)
    try directory.rename(first, to: second)
    #expect(try directory.list() == ["second.log"])
    #expect(try directory.open(second, .read).contents() == [1])
    #expect(try target.contents() == [2])
    try source.write([[3]], at: 1)
    #expect(try directory.open(second, .read).contents() == [1, 3])
    try directory.rename(second, to: second)
    #expect(try directory.list() == ["second.log"])
    #expect(failure { try directory.rename(first, to: second) } == .notFound)
  }

  @Test("a removed file stays readable and writable where it is open", arguments: Kind.allCases)
  func removal(_ kind: Kind) throws {
    let directory = try FileSystemUnderTest(kind, in: temporary).open()
    let file = try directory.open(first, .createNew)
    try file.write([[1, 2]], at: 0)
    try directory.remove(first)
    #expect(try directory.list() == [])
    #expect(failure { try directory.remove(first) } == .notFound)
    try file.write([[3]], at: 2)
    #expect(try file.contents() == [1, 2, 3])
    let successor = try directory.open(first, .createNew)
    #expect(try successor.size() == 0)
    #expect(try file.size() == 3)
  }

  @Test("mapped bytes outlive the file's handle and name", arguments: Kind.allCases)
  func mapping(_ kind: Kind) throws {
    let directory = try FileSystemUnderTest(kind, in: temporary).open()
    var file: (any File)? = try directory.open(first, .createNew)
    try file?.write([[UInt8](repeating: 7, count: 10_000)], at: 0)
    let mapped = try #require(try file?.map(count: 9_999))
    let empty = try #require(try file?.map(count: 0))
    #expect(failure { _ = try file?.map(count: 10_001) } == .ioError)
    file = nil
    try directory.remove(first)
    #expect(mapped.bytes.count == 9_999)
    #expect(mapped.bytes.allSatisfy { $0 == 7 })
    #expect(empty.bytes.isEmpty)
  }

  @Test("one writer, or any number of readers, hold the lock (P15)", arguments: Kind.allCases)
  func locking(_ kind: Kind) throws {
    let subject = try FileSystemUnderTest(kind, in: temporary)
    let writer = try subject.open()
    try writer.lock(.exclusive)
    try writer.lock(.exclusive)
    let reader = try subject.open()
    #expect(isLocked(failure { try reader.lock(.shared) }))
    #expect(isLocked(failure { try reader.lock(.exclusive) }))
    writer.unlock()
    try reader.lock(.shared)
    try writer.lock(.shared)
    let third = try subject.open()
    #expect(isLocked(failure { try third.lock(.exclusive) }))
    reader.unlock()
    reader.unlock()
    writer.unlock()
    try third.lock(.exclusive)
  }

  @Test(
    "who wants the lock for itself waits for those who have it for a moment, not for ever",
    arguments: [Kind.posix, .inMemory])
  func moments(_ kind: Kind) throws {
    let subject = try FileSystemUnderTest(kind, in: temporary)
    let reader = try subject.open()
    try reader.lock(.shared)
    let writer = try subject.open()
    let start = SystemTimeSource().monotonicNanoseconds()
    #expect(throws: FileIOError.self) { try writer.lock(.exclusive) }
    #expect(SystemTimeSource().monotonicNanoseconds() - start >= 100_000_000)
    // A busy machine may take any of these for itself.
    var takenCount = 0
    for _ in 0..<20 where takenCount == 0 {
      let done = DispatchSemaphore(value: 0)
      let thread = Thread {
        usleep(5000)
        reader.unlock()
        done.signal()
      }
      thread.start()
      if (try? writer.lock(.exclusive)) != nil { takenCount += 1 }
      done.wait()
      writer.unlock()
      try reader.lock(.shared)
    }
    #expect(takenCount == 1)
  }

  @Test("a lock ends with its handle (P15)", arguments: Kind.allCases)
  func lockLifetime(_ kind: Kind) throws {
    let subject = try FileSystemUnderTest(kind, in: temporary)
    var holder: (any Directory)? = try subject.open()
    try holder?.lock(.exclusive)
    let other = try subject.open()
    #expect(isLocked(failure { try other.lock(.exclusive) }))
    holder = nil
    try other.lock(.exclusive)
  }

  private func isLocked(_ reason: FileIOError.Reason?) -> Bool {
    if case .locked = reason { true } else { false }
  }
}
