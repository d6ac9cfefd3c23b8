import FileIO
import StorageTestSupport
import Testing

@Suite("The simulated file system, crashing")
struct SimulatedCrashTests {
  let name = FileName(valid: "log")
  let other = FileName(valid: "other")
  static let profiles = CrashProfile.allCases

  private func bytes(_ value: UInt8, _ count: Int) -> [UInt8] {
    [UInt8](repeating: value, count: count)
  }

  /// A file system whose file `log` holds `contents`, all durable.
  private func prepared(
    _ contents: [UInt8], profile: CrashProfile = .strict
  ) throws -> (SimulatedFileSystem, any Directory, any File) {
    let fileSystem = SimulatedFileSystem(files: ["log": contents], in: "d", profile: profile)
    let directory = try fileSystem.openDirectory(at: "d", create: false)
    return (fileSystem, directory, try directory.open(name, .readWrite))
  }

  /// The distinct contents of the files after every way to crash now.
  private func outcomes(_ fileSystem: SimulatedFileSystem) -> Set<[String: [UInt8]]> {
    let point = fileSystem.crashPoint()
    return Set(point.choices().map { point.afterCrash($0).snapshotOfFiles(in: "d") })
  }

  @Test("a process kill loses nothing, and leaves it un-synchronized", arguments: profiles)
  func processKill(_ profile: CrashProfile) throws {
    let (fileSystem, _, file) = try prepared([1], profile: profile)
    try file.write([[2]], at: 1)
    let next = fileSystem.afterCrash(.processKill)
    #expect(next.snapshotOfFiles(in: "d") == ["log": [1, 2]])
    #expect(next.snapshotOfDurableFiles(in: "d") == ["log": [1]])
    #expect(outcomes(next).isSuperset(of: [["log": [1]], ["log": [1, 2]], ["log": [1, 0]]]))
  }

  @Test("what was synchronized survives every crash", arguments: profiles)
  func synchronizedSurvives(_ profile: CrashProfile) throws {
    let fileSystem = SimulatedFileSystem(profile: profile)
    let directory = try fileSystem.openDirectory(at: "d", create: true)
    let file = try directory.open(name, .createNew)
    try file.write([bytes(1, 700), bytes(2, 900)], at: 0)
    try file.synchronize()
    try directory.synchronize()
    let point = fileSystem.crashPoint()
    #expect(point.pendingUnitCount == 0)
    #expect(outcomes(fileSystem) == [["log": bytes(1, 700) + bytes(2, 900)]])
  }

  @Test("each written sector survives, or not, on its own", arguments: profiles)
  func tornSectors(_ profile: CrashProfile) throws {
    let (fileSystem, _, file) = try prepared(bytes(0, 1536), profile: profile)
    try file.write([bytes(1, 1000)], at: 300)
    let old = [bytes(0, 512), bytes(0, 512), bytes(0, 512)]
    let new = [bytes(0, 300) + bytes(1, 212), bytes(1, 512), bytes(1, 276) + bytes(0, 236)]
    var expected: Set<[String: [UInt8]]> = []
    for pattern in 0..<8 {
      let sectors = (0..<3).map { pattern >> $0 & 1 == 1 ? new[$0] : old[$0] }
      expected.insert(["log": Array(sectors.joined())])
    }
    #expect(outcomes(fileSystem) == expected)
  }

  @Test("a later write of a sector includes the earlier one")
  func sectorVersions() throws {
    let (fileSystem, _, file) = try prepared([0, 0])
    try file.write([[1]], at: 0)
    try file.write([[2]], at: 1)
    #expect(outcomes(fileSystem) == [["log": [0, 0]], ["log": [1, 0]], ["log": [1, 2]]])
  }

  @Test("a file may have grown without its bytes: zeros or garbage lie there")
  func growth() throws {
    let (fileSystem, _, file) = try prepared([])
    try file.write([bytes(1, 600)], at: 0)
    let contents = outcomes(fileSystem).compactMap { $0["log"] }
    #expect(Set(contents.map(\.count)) == [0, 512, 600])
    #expect(contents.contains(bytes(0, 600)))
    #expect(contents.contains(bytes(1, 600)))
    #expect(contents.contains(bytes(1, 512) + bytes(0, 88)))
    #expect(contents.contains(bytes(0, 512) + bytes(1, 88)))
    #expect(contents.contains { $0.count == 600 && Set($0).count > 2 })
  }

  @Test("allocated room holds zeros, never garbage")
  func allocation() throws {
    let (fileSystem, _, file) = try prepared([7])
    try file.allocate(0..<1000)
    #expect(outcomes(fileSystem) == [["log": [7]], ["log": [7] + bytes(0, 999)]])
  }

  @Test("a cut may be undone, and what was cut never comes back behind it")
  func truncation() throws {
    let (fileSystem, _, file) = try prepared([1, 2, 3])
    try file.truncate(to: 1)
    try file.truncate(to: 3)
    let cut: [[String: [UInt8]]] = [["log": [1]], ["log": [1, 0, 0]]]
    #expect(outcomes(fileSystem) == Set(cut + [["log": [1, 2, 3]]]))
    try file.synchronize()
    #expect(outcomes(fileSystem) == [["log": [1, 0, 0]]])
  }

  @Test("a rename without a directory synchronization may be undone, and is atomic")
  func rename() throws {
    let fileSystem = SimulatedFileSystem(files: ["log": [1], "other": [2]], in: "d")
    let directory = try fileSystem.openDirectory(at: "d", create: false)
    try directory.rename(name, to: other)
    #expect(outcomes(fileSystem) == [["log": [1], "other": [2]], ["other": [1]]])
    try directory.synchronize()
    #expect(outcomes(fileSystem) == [["other": [1]]])
  }

  @Test("the strict profile keeps any subset of directory operations, the ordered one a prefix")
  func directoryOperations() throws {
    for profile in CrashProfile.allCases {
      let fileSystem = SimulatedFileSystem(files: ["log": [1]], in: "d", profile: profile)
      let directory = try fileSystem.openDirectory(at: "d", create: false)
      _ = try directory.open(other, .createNew)
      try directory.remove(name)
      var expected: Set<[String: [UInt8]]> = [
        ["log": [1]], ["log": [1], "other": []], ["other": []],
      ]
      if profile == .strict { expected.insert([:]) }
      #expect(outcomes(fileSystem) == expected)
    }
  }

  @Test("synchronizing a file keeps its name in the ordered profile only")
  func namesOfSynchronizedFiles() throws {
    for profile in CrashProfile.allCases {
      let fileSystem = SimulatedFileSystem(profile: profile)
      let directory = try fileSystem.openDirectory(at: "d", create: true)
      let file = try directory.open(name, .createNew)
      try file.write([[1]], at: 0)
      try file.synchronize()
      let found: Set<[String: [UInt8]]> = [["log": [1]]]
      #expect(outcomes(fileSystem) == (profile == .strict ? found.union([[:]]) : found))
    }
  }

  @Test("above the limit of exhaustive choices every single loss is still tried")
  func structuredChoices() throws {
    let (fileSystem, _, file) = try prepared(bytes(0, 512 * 20))
    try file.write([bytes(1, 512 * 20)], at: 0)
    let point = fileSystem.crashPoint()
    #expect(point.pendingUnitCount == 20)
    let choices = point.choices(randomCount: 10)
    #expect(Set(choices).count == choices.count)
    let found = Set(choices.map { point.afterCrash($0).snapshotOfFiles(in: "d") })
    for sector in 0..<20 {
      let before = bytes(1, 512 * sector)
      let after = bytes(1, 512 * (19 - sector))
      #expect(found.contains(["log": before + bytes(0, 512) + after]))
      #expect(found.contains(["log": before + bytes(0, 512 * (20 - sector))]))
    }
  }

  @Test("recorded crash points see the disk as it was after each operation")
  func recordedCrashPoints() throws {
    let (fileSystem, directory, file) = try prepared([])
    fileSystem.recordCrashPoints()
    try file.write([[1]], at: 0)
    _ = try file.size()
    try file.synchronize()
    try file.write([[2]], at: 0)
    _ = try directory.list()
    let points = fileSystem.crashPoints
    #expect(points.map(\.operation) == [2, 3, 5, 6])
    #expect(fileSystem.mutatingOperations == [3, 5, 6])
    let live = points.map { $0.afterCrash(.processKill).snapshotOfFiles(in: "d")["log"] }
    #expect(live == [[], [1], [1], [2]])
    #expect(points.map(\.pendingUnitCount) == [0, 2, 0, 1])
  }

  @Test("a crash inside the next run starts from what the first one left")
  func nestedCrashes() throws {
    let (first, _, file) = try prepared([1])
    try file.write([[2]], at: 0)
    let killed = first.afterCrash(.processKill)
    let again = try killed.openDirectory(at: "d", create: false).open(name, .readWrite)
    try again.synchronize()
    #expect(outcomes(killed) == [["log": [2]]])
    #expect(try file.contents() == [2])
    #expect(first.snapshotOfDurableFiles(in: "d") == ["log": [1]])
  }

  @Test("the same choice gives the same bytes")
  func determinism() throws {
    let (fileSystem, _, file) = try prepared([])
    try file.write([bytes(1, 3000)], at: 0)
    var generator = SeededGenerator(seed: 11)
    let point = fileSystem.crashPoint()
    for _ in 0..<50 {
      let choice = point.randomChoice(using: &generator)
      let files = point.afterCrash(choice).snapshotOfFiles(in: "d")
      #expect(files == point.afterCrash(choice).snapshotOfFiles(in: "d"), "\(choice)")
    }
  }
}
