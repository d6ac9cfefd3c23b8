import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

/// T-PATH: what others put in the place of a store's files is refused or does no harm (P16).
@Suite struct StorePathTests {
  private static let precious = [UInt8]("precious, and nobody's business".utf8)

  static var configuration: LogConfiguration {
    var configuration = TestLog.configuration
    configuration.durability = .process
    return configuration
  }

  /// Makes a store of three segments in `folder`, plays the trick, and uses the store.
  static func perform(_ trick: PathTrick, in folder: String) throws {
    let place = PathTrick.Place(store: folder + "/store", outside: folder + "/outside")
    try #require(
      FileManager.default.createFile(atPath: place.outside, contents: Data(precious)))
    try #require(chmod(place.outside, 0o640) == 0)
    let log = try Log.open(at: place.store, configuration: configuration)
    for start in [0, 10, 20] {
      try TestLog.put(start..<(start + 10), log)
      try log.sealActiveSegment()
    }
    try log.close()
    trick.play(place)
    var hasRead = false
    do throws(LogError) {
      try use(place.store, &hasRead)
      #expect(trick.outcome != .refused, "\(trick) was not noticed")
    } catch {
      #expect(trick.outcome != .harmless, "\(trick): \(error)")
    }
    #expect(hasRead == (trick.outcome != .refused), "\(trick)")
    // Nobody wrote through a link, changed a mode, or made a file outside.
    #expect(FileManager.default.contents(atPath: place.outside) == Data(precious), "\(trick)")
    var status = stat()
    #expect(stat(place.outside, &status) == 0 && status.st_mode & 0o7777 == 0o640, "\(trick)")
    #expect(!FileManager.default.fileExists(atPath: place.store + ".made"), "\(trick)")
  }

  private static func use(_ path: String, _ hasRead: inout Bool) throws(LogError) {
    let log = try Log.open(at: path, configuration: configuration)
    defer { try? log.close() }
    let contents = try TestLog.contents(log)
    #expect(contents == TestLog.expected(0..<30))
    hasRead = true
    try TestLog.put(0..<30, log)
    try log.sealActiveSegment()
    let sealed = try log.statistics().segments.map(\.identifier)
    let rewrite = try log.beginRewrite(of: Set(sealed))
    while let record = try rewrite.next() { try rewrite.keep(record) }
    try rewrite.publish()
    #expect(try TestLog.contents(log) == TestLog.expected(0..<30))
    try log.close()
    let again = try Log.open(at: path, configuration: configuration)
    #expect(try TestLog.contents(again) == TestLog.expected(0..<30))
    try again.close()
  }

  @Test("P16: it is refused with a typed error, or harmless", arguments: PathTrick.all)
  func trick(trick: PathTrick) throws {
    let temporary = try TemporaryDirectory()
    try Self.perform(trick, in: temporary.path)
  }

  @Test("P16: the same as an unprivileged user, and nothing waits for the other end of a pipe")
  func tricksWithoutPrivileges() async {
    await #expect(processExitsWith: .success) {
      alarm(300)
      let temporary = try TemporaryDirectory()
      if getuid() == 0 {
        try #require(chown(temporary.path, 65534, 65534) == 0)
        try #require(setgid(65534) == 0 && setuid(65534) == 0)
      }
      for (index, trick) in PathTrick.all.enumerated() {
        let folder = "\(temporary.path)/\(index)"
        try #require(mkdir(folder, 0o700) == 0)
        try StorePathTests.perform(trick, in: folder)
      }
    }
  }

  @Test(
    "P16: the store itself may not be a link, a pipe or a file",
    arguments: ["link", "dangling", "pipe", "file", "device"])
  func store(kind: String) throws {
    let temporary = try TemporaryDirectory()
    let path = temporary.path + "/store"
    let target = temporary.path + "/target"
    try Log.open(at: target, configuration: Self.configuration).close()
    switch kind {
    case "link": symlink(target, path)
    case "dangling": symlink(temporary.path + "/none", path)
    case "pipe": mkfifo(path, 0o600)
    case "device": symlink("/dev/null", path)
    default: #expect(FileManager.default.createFile(atPath: path, contents: Data()))
    }
    for mayCreate in [false, true] {
      var configuration = Self.configuration
      configuration.createIfMissing = mayCreate
      do throws(LogError) {
        _ = try Log.open(at: path, configuration: configuration)
        Issue.record("\(kind) was opened")
      } catch {
        guard case .fileIO(let cause) = error else { throw error }
        #expect(cause.reason == .notDirectory || cause.reason == .alreadyExists)
      }
    }
    #expect(access(temporary.path + "/none", F_OK) != 0)
  }

  @Test("P16: every file of a store has mode 0600 and the directory 0700 under any mask")
  func modes() async {
    await #expect(processExitsWith: .success) {
      let temporary = try TemporaryDirectory()
      if getuid() == 0 {
        try #require(chown(temporary.path, 65534, 65534) == 0)
        try #require(setgid(65534) == 0 && setuid(65534) == 0)
      }
      for mask: mode_t in [0, 0o022, 0o077, 0o277, 0o777] {
        umask(mask)
        let path = "\(temporary.path)/\(mask)"
        var names: Set<String> = []
        let log = try Log.open(at: path, configuration: StorePathTests.configuration)
        for start in [0, 10, 20] {
          try TestLog.put(start..<(start + 10), log)
          if start < 20 { try log.sealActiveSegment() }
        }
        let sealed = try log.statistics().segments.filter { !$0.isActive }.map(\.identifier)
        let rewrite = try log.beginRewrite(of: Set(sealed))
        while let record = try rewrite.next() { try rewrite.keep(record) }
        try rewrite.publish()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
          var status = stat()
          try #require(lstat("\(path)/\(name)", &status) == 0)
          #expect(status.st_mode & 0o7777 == 0o600, "\(name) under \(mask)")
          names.insert(name)
        }
        var status = stat()
        try #require(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o700)
        #expect(names.isSuperset(of: ["MANIFEST", "RESERVE", "RESERVE.2"]) && names.count >= 5)
        try log.close()
      }
    }
  }
}
