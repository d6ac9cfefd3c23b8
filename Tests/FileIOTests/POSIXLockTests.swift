import Foundation
import StorageTestSupport
import Testing

@testable import FileIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("The lock of a directory on disk")
struct POSIXLockTests {
  private let temporary: TemporaryDirectory

  init() throws { temporary = try TemporaryDirectory() }

  private func open() throws -> any Directory {
    try POSIXFileSystem().openDirectory(at: temporary.path, create: false)
  }

  @Test("two handles of one process exclude each other; the pid is our own (P15)")
  func twoHandles() throws {
    let first = try open()
    try first.lock(.exclusive)
    let second = try open()
    let reason = failure { try second.lock(.shared) }
    #expect(reason == .locked(holder: HostTools.isLinux ? getpid() : nil))
    withExtendedLifetime(first) {}
  }

  @Test(
    "another process excludes us, is named, and its death frees the lock (P15)",
    .enabled(if: HostTools.canHoldLocks, "SKIPPED: needs the flock command"))
  func anotherProcess() throws {
    let flock = try #require(HostTools.path(of: "flock"))
    let script = "echo ready; exec sleep 600"
    let process = try WaitingProcess(
      flock, ["--no-fork", "--exclusive", temporary.path, "sh", "-c", script])
    let directory = try open()
    let holder = HostTools.isLinux ? process.identifier : nil
    #expect(failure { try directory.lock(.exclusive) } == .locked(holder: holder))
    #expect(failure { try directory.lock(.shared) } == .locked(holder: holder))
    process.kill()
    try directory.lock(.exclusive)
  }

  @Test(
    "a reader in another process admits readers and no writer (P15)",
    .enabled(if: HostTools.canHoldLocks, "SKIPPED: needs the flock command"))
  func sharedWithAnotherProcess() throws {
    let flock = try #require(HostTools.path(of: "flock"))
    let process = try WaitingProcess(
      flock, ["--no-fork", "--shared", temporary.path, "sh", "-c", "echo ready; exec sleep 600"])
    let directory = try open()
    try directory.lock(.shared)
    directory.unlock()
    let holder = HostTools.isLinux ? process.identifier : nil
    #expect(failure { try directory.lock(.exclusive) } == .locked(holder: holder))
  }

  @Test("a directory that was moved away is locked by nobody who took it for the one at its path")
  func movedAway() throws {
    let path = temporary.path + "/store"
    let system = POSIXFileSystem()
    let owner = try system.openDirectory(at: path, create: true)
    try owner.lock(.exclusive)
    let other = try system.openDirectory(at: path, create: false)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".archived1")
    owner.unlock()
    #expect(failure { try other.lock(.shared) } == .moved)
    let new = try system.openDirectory(at: path, create: true)
    #expect(failure { try other.lock(.exclusive) } == .moved)
    try new.lock(.exclusive)
  }

  @Test("files with tempting names are no part of the lock; nothing is written for it (P15)")
  func nothingOnDisk() throws {
    let first = try open()
    try first.lock(.exclusive)
    #expect(try first.list() == [])
    let file = FileName(valid: "LOCK")
    _ = try first.open(file, .createNew)
    try first.remove(file)
    let second = try open()
    #expect(failure { try second.lock(.exclusive) } != nil)
  }

  @Test("the holder is found by device and inode in the system's table")
  func holderInTable() {
    let table = """
      1: POSIX  ADVISORY  WRITE 11 fd:00:77 0 EOF
      2: FLOCK  ADVISORY  WRITE 12 fd:00:78 0 EOF
      2: -> FLOCK  ADVISORY  WRITE 13 fd:00:77 0 EOF
      3: FLOCK  ADVISORY  WRITE 14 fd:01:77 0 EOF
      4: FLOCK  ADVISORY  WRITE 0 fd:00:77 0 EOF
      rubbish
      5: FLOCK  ADVISORY  READ  15 fd:00:77 0 EOF
      """
    func holder(_ major: UInt64, _ minor: UInt64, _ inode: UInt64) -> Int32? {
      LockHolder.processIdentifier(in: table, major: major, minor: minor, inode: inode)
    }
    #expect(holder(0xFD, 0, 77) == 15)
    #expect(holder(0xFD, 0, 78) == 12)
    #expect(holder(0xFD, 1, 77) == 14)
    #expect(holder(0xFD, 0, 79) == nil)
    #expect(holder(1, 0, 77) == nil)
  }
}
