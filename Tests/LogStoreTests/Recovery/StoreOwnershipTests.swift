import FileIO
import Testing

@testable import LogStore

@Suite struct StoreOwnershipTests {
  @Test("P15: no file is created or removed in a directory that may be somebody else's")
  func whatWasGivenBackIsLeftAlone() throws {
    let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
    try directory.lock(.exclusive)
    let ownership = StoreOwnership(directory)
    let name = StoreDirectory.segment(SegmentIdentifier(7))
    let isCreated = try ownership.whileHeld { () throws(FileIOError) in
      _ = try directory.open(name, .createNew)
      return true
    }
    #expect(isCreated == true)
    ownership.end()
    let isCreatedAgain = try ownership.whileHeld { () throws(FileIOError) in true }
    #expect(isCreatedAgain == nil)
    ownership.remove(name)
    #expect(try directory.list() == [name.description])
  }

  @Test("An error of what is done while the lock is held comes back")
  func errorsComeBack() throws {
    let directory = try InMemoryFileSystem().openDirectory(at: "/store", create: true)
    try directory.lock(.exclusive)
    let ownership = StoreOwnership(directory)
    #expect(throws: FileIOError.self) {
      _ = try ownership.whileHeld { () throws(FileIOError) in
        try directory.open(StoreDirectory.segment(SegmentIdentifier(7)), .read)
      }
    }
  }
}
