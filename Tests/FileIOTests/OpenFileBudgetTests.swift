import Dispatch
import StorageTestSupport
import Testing

@testable import FileIO

@Suite("A budget of open files")
struct OpenFileBudgetTests {
  private let fileSystem = LimitedFileSystem(InMemoryFileSystem())
  private let directory: any Directory

  init() throws {
    directory = try fileSystem.openDirectory(at: "/store", create: true)
    for number in 0..<10 {
      try directory.open(name(number), .createNew).write([[UInt8(number), 1, 2]], at: 0)
    }
  }

  private func name(_ number: Int) -> FileName { FileName(valid: "f\(number)") }

  /// Files that are open, without the directory.
  private var openCount: Int { fileSystem.openCount - 1 }

  private func files(_ maximum: Int) throws -> (BudgetedDirectory, [any File]) {
    let budgeted = BudgetedDirectory(directory, budget: OpenFileBudget(maximum: maximum))
    return (budgeted, try (0..<10).map { try budgeted.openSealed(name($0)) })
  }

  @Test("keeps as many open as it may, and reads all (P12)", arguments: [1, 2, 3, 9, 10, 11])
  func maximum(maximum: Int) throws {
    let (budgeted, files) = try files(maximum)
    for round in 0..<3 {
      for number in (0..<10).map({ round == 1 ? 9 - $0 : $0 }) {
        #expect(try files[number].contents() == [UInt8(number), 1, 2])
        #expect(openCount == min(maximum, 10))
      }
    }
    #expect(budgeted.budget.count == min(maximum, 10))
    #expect(fileSystem.peak <= maximum + 2)
  }

  @Test("closes the file that was used least recently")
  func leastRecentlyUsed() throws {
    let (_, files) = try files(3)  // 7, 8 and 9 are open.
    _ = try files[7].size()
    _ = try files[0].size()  // 8 is the oldest.
    let before = fileSystem.openingCount
    for number in [7, 9, 0] { _ = try files[number].size() }
    #expect(fileSystem.openingCount == before)
    _ = try files[8].size()
    #expect(fileSystem.openingCount == before + 1)
  }

  @Test("a file that was opened keeps its descriptor while it is held, beside the budget")
  func openedFiles() throws {
    let (_, files) = try files(1)
    let opened = try files[3].opened()
    for number in 0..<3 { _ = try files[number].size() }
    #expect(openCount == 2)
    let before = fileSystem.openingCount
    try opened.synchronize()
    #expect(fileSystem.openingCount == before)
    fileSystem.setLimit(0)
    #expect(throws: FileIOError.self) { try files[4].opened() }
    #expect(try opened.opened().contents() == [3, 1, 2])
  }

  @Test("a file that goes away leaves its place")
  func goingAway() throws {
    var (budgeted, files) = try files(4)
    files.removeAll()
    #expect(openCount == 0)
    #expect(budgeted.budget.count == 0)
    files.append(try budgeted.openSealed(name(1)))
    #expect(openCount == 1)
  }

  @Test("a mapped file keeps its bytes and no descriptor")
  func mapping() throws {
    let (_, files) = try files(4)
    let mapped = try files[2].map(count: 3)
    #expect(Array(mapped.bytes) == [2, 1, 2])
    for number in 6..<10 { _ = try files[number].map(count: 3) }
    #expect(openCount == 0)
    #expect(try files[2].contents() == [2, 1, 2])
  }

  @Test("when the process may open no more, all is given back, and the call made again (P12)")
  func givingBack() throws {
    let (budgeted, files) = try files(8)
    #expect(openCount == 8)
    fileSystem.setLimit(9)
    #expect(try files[0].contents() == [0, 1, 2])
    fileSystem.setLimit(fileSystem.openCount)
    _ = try budgeted.open(FileName(valid: "new"), .createNew)
    #expect(openCount == 0)
    _ = try files[3].contents()
    fileSystem.setLimit(2)
    #expect(try budgeted.list().count == 11)
    fileSystem.setLimit(1)
    #expect(failure { _ = try files[3].size() } == .tooManyOpenFiles(limit: 1))
    #expect(failure { _ = try budgeted.list() } == .tooManyOpenFiles(limit: 1))
    let missing = failure { _ = try budgeted.open(FileName(valid: "b"), .createNew) }
    #expect(missing == .tooManyOpenFiles(limit: 1))
    fileSystem.setLimit(2)
    #expect(try files[3].contents() == [3, 1, 2])
  }

  @Test("what is missing or cannot be written says so")
  func refusals() throws {
    let (budgeted, files) = try files(2)
    #expect(failure { _ = try budgeted.openSealed(FileName(valid: "none")) } == .notFound)
    #expect(failure { try files[0].write([[1]], at: 0) } == .permissionDenied)
    try files[0].synchronize()
    #expect(failure { try files[0].truncate(to: 0) } == .permissionDenied)
    #expect(failure { try files[0].allocate(0..<1) } == .permissionDenied)
  }

  @Test("threads that read at the same time keep what they read, whatever is closed meanwhile")
  func threads() throws {
    for maximum in [1, 3] {
      let (budgeted, files) = try files(maximum)
      fileSystem.resetPeak()
      let wrong = Lock(0)
      DispatchQueue.concurrentPerform(iterations: 8) { thread in
        var generator = SeededGenerator(seed: UInt64(thread))
        for _ in 0..<2000 {
          let number = Int.random(in: 0..<10, using: &generator)
          if number == 0 { budgeted.budget.giveBack() }
          let found = try? files[number].contents()
          if found != [UInt8(number), 1, 2] { wrong.withLock { wrong in wrong += 1 } }
        }
      }
      #expect(wrong.withLock { wrong in wrong } == 0)
      #expect(fileSystem.peak <= 1 + maximum + 3 * 8)
      #expect(openCount <= maximum)
    }
  }

  @Test("who finds too many files open while another thread gives them back waits for that (P12)")
  func givingBackTogether() throws {
    let budget = OpenFileBudget(maximum: 4)
    let (isGoing, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasMetLimit = DispatchSemaphore(value: 0)
    let hasGone = Lock(false)
    let slot = OpenFileBudget.Slot()
    _ = try budget.file(of: slot) { () throws(FileIOError) in
      SlowFile(
        try directory.open(name(0), .read), isGoing: isGoing, mayGo: mayGo, hasGone: hasGone)
    }
    /// Meets the limit the first time; says whether the file was closed the second time.
    @Sendable func openOne() throws(FileIOError) -> Bool {
      var isFirst = true
      return try budget.retrying { () throws(FileIOError) in
        defer { isFirst = false }
        guard isFirst else { return hasGone.withLock { $0 } }
        hasMetLimit.signal()
        throw FileIOError(.tooManyOpenFiles(limit: 1), operation: "open", path: "/store")
      }
    }
    let found = Lock<[Bool]>([])
    let failures = Threads.run(3) { thread in
      if thread == 2 {
        // Of the first one, and of the one that finds nothing left to give back.
        hasMetLimit.wait()
        hasMetLimit.wait()
        mayGo.signal()
        return
      }
      if thread == 1 { isGoing.wait() }
      let isClosed = try openOne()
      found.withLock { $0.append(isClosed) }
    }
    #expect(failures.isEmpty)
    #expect(found.withLock { $0 } == [true, true])
  }

  @Test("the default is an eighth of what the process may open, within bounds (P12)")
  func defaults() {
    #expect((16...256).contains(OpenFileBudget.maximumByDefault))
  }
}
