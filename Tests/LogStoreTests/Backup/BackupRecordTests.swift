import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

@Suite("What a backup says of itself is read and written byte for byte")
struct BackupRecordTests {
  private static let store = StoreIdentifier(
    low: 0x0102_0304_0506_0708, high: 0x1112_1314_1516_1718)

  /// From the magic to the two fingerprints; versions 1 and 2 differ in their numbers only.
  private static func beginning(version: UInt8) -> [UInt8] {
    [UInt8]("LOGSTBAK".utf8) + [version, 0, version, 0, 1, 0, 0, 0]
      + [8, 7, 6, 5, 4, 3, 2, 1, 0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]
      + [0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21]
      + [0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31]
  }

  private static let first = beginning(version: 1) + [0xBD, 0x07, 0x65, 0x3D]
  private static let second =
    beginning(version: 2) + [0x41, 0, 0, 0, 0, 0, 0, 0]
    + [UInt8](repeating: 0x42, count: 8) + [0x58, 0x57, 0x56, 0x55, 0x54, 0x53, 0x52, 0x51]
    + [0x12, 0x9E, 0x6A, 0x47]

  private static func directory(_ bytes: [UInt8]) throws -> any Directory {
    let fileSystem = InMemoryFileSystem()
    let directory = try fileSystem.openDirectory(at: "/backup", create: true)
    let file = try directory.open(StoreDirectory.backup, .createNew)
    try bytes.withUnsafeBytes { try file.write([$0], at: 0) }
    return directory
  }

  @Test("Version 2 is read, and written as it was")
  func golden() throws {
    let directory = try Self.directory(Self.second)
    let record = try #require(try BackupRecord.read(in: directory))
    #expect(record.store == Self.store && record.isUnfinished)
    #expect(record.fingerprints == [0x2122_2324_2526_2728, 0x3132_3334_3536_3738])
    #expect(record.lineage == 0x41 && record.ownLineage == 0x4242_4242_4242_4242)
    #expect(record.source == 0x5152_5354_5556_5758 && !record.isOfFirstVersion)
    try record.write(in: directory)
    let file = try directory.open(StoreDirectory.backup, .read)
    #expect(try FileReading.all(of: file, limit: 100, name: StoreDirectory.backup) == Self.second)
  }

  @Test("Both flags say that it is unfinished, and that what lies there verified")
  func proven() throws {
    let directory = try Self.directory(Self.second)
    var record = try #require(try BackupRecord.read(in: directory))
    #expect(!record.isProven && record.isDoubtful)
    record.isProven = true
    try record.write(in: directory)
    let file = try directory.open(StoreDirectory.backup, .read)
    let bytes = try FileReading.all(of: file, limit: 100, name: StoreDirectory.backup)
    #expect([UInt8](bytes[12..<16]) == [3, 0, 0, 0])
    let again = try #require(try BackupRecord.read(in: directory))
    #expect(again == record && again.isUnfinished && !again.isDamaged && !again.isDoubtful)
    // What is finished says nothing of that any more.
    record.isUnfinished = false
    try record.write(in: directory)
    let finished = try #require(try BackupRecord.read(in: directory))
    #expect(!finished.isUnfinished && !finished.isProven && !finished.isDamaged)
  }

  @Test("Version 1 is a copy of a store that is no copy, made of the manifest that it names last")
  func firstVersion() throws {
    let record = try #require(try BackupRecord.read(in: try Self.directory(Self.first)))
    #expect(record.store == Self.store && record.isUnfinished)
    #expect(record.fingerprints == [0x2122_2324_2526_2728, 0x3132_3334_3536_3738])
    #expect(record.lineage == 0 && record.isOfFirstVersion)
    #expect(record.ownLineage == record.fingerprints[1] && record.source == record.ownLineage)
  }

  @Test("Each changed byte, and each other length, of either version is damage")
  func damage() throws {
    for bytes in [Self.first, Self.second] {
      for position in bytes.indices {
        var changed = bytes
        changed[position] ^= 1 << UInt8(position % 8)
        #expect(throws: LogError.self) { try BackupRecord.read(in: Self.directory(changed)) }
        let short = [UInt8](bytes[..<position])
        #expect(throws: LogError.self) { try BackupRecord.read(in: Self.directory(short)) }
      }
      #expect(throws: LogError.self) { try BackupRecord.read(in: Self.directory(bytes + [0])) }
    }
  }
}
