import FileIO
import Foundation
import StorageTestSupport
import Testing

@testable import LogStore

/// A store that is moved while somebody reads it beside its writers, as an archived one is.
@Suite struct MovedStoreTests {
  private let temporary: TemporaryDirectory
  private var path: String { temporary.path + "/store" }

  init() throws { temporary = try TemporaryDirectory() }

  private func open(
    _ access: LogConfiguration.Access, at other: String? = nil
  ) throws(LogError) -> Log {
    var configuration = TestLog.configuration
    configuration.access = access
    configuration.admitsWriters = access == .readOnly
    return try Log.open(at: other ?? path, configuration: configuration)
  }

  private func move(_ source: String, _ target: String) throws {
    try POSIXFileSystem().moveDirectory(at: source, to: target)
  }

  @Test("A reader of a store that was moved is told at its refresh, and keeps what it shows")
  func movedStore() throws {
    var writer = try open(.readWrite)
    try TestLog.put(0..<5, writer)
    try writer.close()
    let reader = try open(.readOnly)
    try move(path, path + ".archived1")
    // Nothing is there.
    #expect(throws: LogError.self) { try reader.refresh() }
    #expect(reader.isMoved)
    writer = try open(.readWrite)
    try TestLog.put(10..<12, writer)
    #expect {
      try reader.refresh()
    } throws: { error in
      guard case .fileIO(let cause) = error as? LogError else { return false }
      return cause.reason == .moved && "\(cause)".contains("open it again")
    }
    try TestLog.compare(reader, TestLog.expected(0..<5))
    let again = try open(.readOnly)
    #expect(!again.isMoved)
    try again.refresh()
    try TestLog.compare(again, TestLog.expected(10..<12))
    try writer.close()
    try move(path, path + ".archived2")
    try move(path + ".archived1", path)
    // It is where it was.
    #expect(!reader.isMoved)
    try reader.refresh()
    #expect(throws: LogError.self) { try again.refresh() }
    for log in [reader, again] { try log.close() }
  }

  @Test("A reader is told that the store was moved, also where something else took its path")
  func pathOfSomethingElse() throws {
    let files = FileManager.default
    let parent = temporary.path + "/a"
    try files.createDirectory(atPath: parent, withIntermediateDirectories: true)
    let writer = try open(.readWrite, at: parent + "/store")
    try TestLog.put(0..<5, writer)
    let reader = try open(.readOnly, at: parent + "/store")
    try move(parent, temporary.path + "/b")
    for isLink in [false, true] {
      if isLink {
        try files.createSymbolicLink(atPath: parent, withDestinationPath: parent)
      } else {
        try Data("a file".utf8).write(to: URL(filePath: parent))
      }
      let isMoved = reader.isMoved
      #expect(isMoved, "a link: \(isLink)")
      #expect {
        try reader.refresh()
      } throws: { error in
        guard case .fileIO(let cause) = error as? LogError else { return false }
        return cause.reason == .moved
      }
      try files.removeItem(atPath: parent)
    }
    try move(temporary.path + "/b", parent)
    try reader.refresh()
    try TestLog.compare(reader, TestLog.expected(0..<5))
    for log in [reader, writer] { try log.close() }
  }
}
