import FileIO
import Foundation
import StorageTestSupport
import Testing

@Suite("Files for people are replaced whole, or stay as they are")
struct FileReplacementTests {
  @Test("What is there is replaced, its mode stays, and nothing is left beside it")
  func replacing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/page with a space.html"
    try FileReplacement.replace(path, with: [1, 2, 3])
    #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let foreign = path + ".new"
    try Data([9, 9]).write(to: URL(fileURLWithPath: foreign))
    try FileReplacement.replace(path, with: [])
    #expect(FileManager.default.contents(atPath: path) == Data())
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(FileManager.default.contents(atPath: foreign) == Data([9, 9]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
  }

  @Test("Where it fails, what was there is as it was, and the error names the path")
  func failures() throws {
    let directory = try TemporaryDirectory()
    // No file beside it could have a name, which is as long as one may be.
    let path = directory.path + "/" + String(repeating: "p", count: 255)
    #expect(FileManager.default.createFile(atPath: path, contents: Data([1, 2, 3])))
    let error = #expect(throws: FileIOError.self) {
      try FileReplacement.replace(path, with: [4])
    }
    #expect(error?.path == path)
    #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
    for path in [directory.path, directory.path + "/no/page.html"] {
      #expect(throws: FileIOError.self) { try FileReplacement.replace(path, with: [4]) }
    }
  }

  @Test("A link is refused, unless it leads to a device or a pipe")
  func links() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/page.html"
    try FileReplacement.replace(path, with: [1, 2, 3])
    let toDevice = directory.path + "/device"
    try FileManager.default.createSymbolicLink(
      atPath: toDevice, withDestinationPath: "/dev/null")
    try FileReplacement.replace(toDevice, with: [4])
    for target in [path, directory.path + "/none", directory.path] {
      let link = directory.path + "/link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
      let error = #expect(throws: FileIOError.self) { try FileReplacement.replace(link, with: [4]) }
      #expect(error?.reason == (target.hasSuffix("/none") ? .notFound : .notPlainFile))
      try FileManager.default.removeItem(atPath: link)
    }
    #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
  }

  @Test("Devices are written to")
  func devices() throws {
    try FileReplacement.replace("/dev/null", with: [1])
    #if os(Linux)
      let error = #expect(throws: FileIOError.self) {
        try FileReplacement.replace("/dev/full", with: [1])
      }
      #expect(error?.reason == .noSpace)
    #endif
  }
}
