import FileIO
import Foundation
import StorageTestSupport
import Testing

@Suite("Pages of mapped files")
struct MappedPagesTests {
  private let temporary: TemporaryDirectory

  init() throws { temporary = try TemporaryDirectory() }

  @Test("pages that were forgotten leave memory, and are read again as they were")
  func forgetting() throws {
    let directory = try POSIXFileSystem().openDirectory(at: temporary.path, create: false)
    let file = try directory.open(FileName(valid: "mapped"), .createNew)
    let content = (0..<(256 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    try file.write([content], at: 0)
    let mapped = try file.map(count: content.count)
    #expect(mapped.bytes.elementsEqual(content))
    let before = residentKilobytes(mapped.bytes)
    mapped.forgetPages(in: 1..<(content.count - 1))
    let after = residentKilobytes(mapped.bytes)
    #expect(mapped.bytes.elementsEqual(content))
    // Other systems take it as advice, and do not say what is in memory.
    if let before, let after {
      #expect(before == 256)
      #expect(after < 64, "\(after) KiB stayed")
    }
  }

  @Test("what is written after a file was mapped ahead is seen, and stays when the rest is cut off")
  func mappingAhead() throws {
    let directory = try POSIXFileSystem().openDirectory(at: temporary.path, create: false)
    let file = try directory.open(FileName(valid: "ahead"), .createNew)
    let mapped = try #require(file.mapAhead(count: 1 << 20))
    let content = (0..<(80 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 29 ^ $0 >> 8) }
    var end = 0
    for count in [1, 300, 4096, 5000, 60_000] {
      let part = Array(content[end..<end + count])
      if end < 4096 { try file.allocate(UInt64(end)..<UInt64(end + 16_384)) }
      try file.write([part], at: UInt64(end))
      end += count
      #expect(mapped.bytes.prefix(end).elementsEqual(content.prefix(end)))
    }
    try file.truncate(to: UInt64(end))
    try directory.remove(FileName(valid: "ahead"))
    #expect(mapped.bytes.prefix(end).elementsEqual(content.prefix(end)))
  }

  @Test("files in memory are not mapped ahead")
  func inMemory() throws {
    let directory = try InMemoryFileSystem().openDirectory(at: "/memory", create: true)
    let file = try directory.open(FileName(valid: "ahead"), .createNew)
    #expect(file.mapAhead(count: 4096) == nil)
  }

  @Test("what is no file's stays as it is when its pages are forgotten")
  func forgettingMemory() {
    let bytes = MappedBytes(UnsafeRawBufferPointer(start: nil, count: 0)) { _ in }
    bytes.forgetPages(in: 0..<0)
    #expect(bytes.bytes.isEmpty)
  }

  /// Nothing where the system does not say.
  private func residentKilobytes(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress,
      let text = try? String(contentsOfFile: "/proc/self/smaps", encoding: .utf8)
    else { return nil }
    let address = String(UInt(bitPattern: start), radix: 16)
    let lines = text.split(separator: "\n").drop { !$0.hasPrefix(address + "-") }
    let line = lines.first { $0.hasPrefix("Rss:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }
}
