import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite struct ReadSynchronizationsTests {
  private static func segment(_ number: UInt32, in directory: any Directory) -> Segment {
    let store = StoreIdentifier(low: 2, high: 1)
    return Segment(
      SegmentDescriptor(active: SegmentIdentifier(number), salt: 7), store: store,
      directory: directory, readMode: .buffered,
      dictionaries: DictionaryShelf(store, in: directory, observer: nil))
  }

  @Test("While one file is synchronized another one can be")
  func nobodyWaitsForOthers() throws {
    let base = InMemoryFileSystem()
    let directory = try base.openDirectory(at: "/store", create: true)
    let synchronizations = ReadSynchronizations()
    let (first, second) = (Self.segment(1, in: directory), Self.segment(2, in: directory))
    let file = try directory.open(second.name, .createNew)
    let isDone = Lock(false)
    let observed = ObservedFileSystem(base) { call throws(FileIOError) in
      guard call == .synchronize else { return }
      try synchronizations.synchronize(file, of: second)
      isDone.withLock { isDone in isDone = true }
    }
    let slow = try observed.openDirectory(at: "/store", create: false)
      .open(first.name, .createNew)
    try synchronizations.synchronize(slow, of: first)
    #expect(isDone.withLock { isDone in isDone })
  }

  @Test("P10: what failed is remembered by what the segment is; what succeeded is not")
  func failuresAreOfSegments() throws {
    let calls = Lock((count: 0, fails: false))
    let observed = ObservedFileSystem(InMemoryFileSystem()) { call throws(FileIOError) in
      guard call == .synchronize else { return }
      let fails = calls.withLock { calls in
        calls.count += 1
        return calls.fails
      }
      if fails { throw FileIOError(.ioError, operation: "synchronize", path: "/store/segment") }
    }
    let directory = try observed.openDirectory(at: "/store", create: true)
    let synchronizations = ReadSynchronizations()
    let (first, second) = (Self.segment(1, in: directory), Self.segment(2, in: directory))
    let file = try directory.open(first.name, .createNew)
    for _ in 0..<2 { try synchronizations.synchronize(file, of: first) }
    calls.withLock { calls in calls.fails = true }
    #expect(throws: FileIOError.self) { try synchronizations.synchronize(file, of: first) }
    calls.withLock { calls in calls.fails = false }
    let again = try directory.open(first.name, .read)
    for _ in 0..<2 {
      #expect(throws: FileIOError.self) {
        try synchronizations.synchronize(again, of: Self.segment(1, in: directory))
      }
    }
    #expect(calls.withLock { calls in calls.count } == 3)
    try synchronizations.synchronize(file, of: second)
    #expect(calls.withLock { calls in calls.count } == 4)
  }
}
