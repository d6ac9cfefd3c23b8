import BinaryCoding
import FileIO
import StorageTestSupport
import Testing

@testable import LogStore

/// P18: every unknown bit of the three words of flags, in every header that has them.
@Suite struct ReadOnlyFlagTests {
  /// The words of flags by their place in manifests and segment headers.
  enum Word: Int, CaseIterable {
    case compatible = 12
    case readOnly = 16
    case incompatible = 20
  }

  enum Place: String, CaseIterable {
    case manifest, activeSegment, sealedSegment
  }

  /// A store that was not closed, with one flag set and all checksums right.
  private static func store(_ word: Word, _ place: Place, bit: Int) throws -> [String: [UInt8]] {
    var files = try HostileStore.files(isOpen: true)
    let manifest = try HostileStore.manifest(of: files)
    let segment = place == .sealedSegment ? manifest.segments.first : manifest.segments.last
    let name =
      place == .manifest
      ? "MANIFEST" : StoreDirectory.segment(try #require(segment).identifier).description
    var file = try #require(files[name])
    file[word.rawValue + bit / 8] |= 1 << UInt8(bit % 8)
    let end = place == .manifest ? file.count - 4 : SegmentHeader.byteCount - 4
    let sum = file[..<end].withUnsafeBytes { Checksum.crc32c($0) }
    file.replaceSubrange(
      end..<(end + 4), with: withUnsafeBytes(of: sum.littleEndian) { [UInt8]($0) })
    if place != .manifest {
      try HostileSegmentTests.rewrite(&file, end: file.count, store: manifest.store) { _, _ in }
    }
    files[name] = file
    return files
  }

  private enum Outcome: Equatable {
    case done, newerWriter, newerFormat
  }

  /// Opens, reads everything and writes when `access` allows it.
  private static func use(
    _ fileSystem: SimulatedFileSystem, _ access: LogConfiguration.Access
  ) throws -> Outcome {
    do {
      let log = try TestLog.open(fileSystem, access: access)
      defer { try? log.close() }
      if access == .readWrite { try TestLog.put([7], log) }
      guard try TestLog.contents(log).count >= 280 else { throw CaseFailure("records are missing") }
      return .done
    } catch LogError.newerWriter {
      return .newerWriter
    } catch LogError.newerFormat {
      return .newerFormat
    }
  }

  @Test(
    "P18: an unknown flag lets a store be written, only be read, or neither, and no byte changes",
    arguments: Word.allCases, Place.allCases)
  func everyUnknownFlagIsHonoured(word: Word, place: Place) throws {
    var failures: [String] = []
    for bit in 0..<32 where word != .incompatible || place == .manifest || bit > 1 {
      // The first two incompatible flags of a segment are known: dictionaries, and short headers.
      let files = try Self.store(word, place, bit: bit)
      for access in [LogConfiguration.Access.readOnly, .readWrite] {
        let fileSystem = SimulatedFileSystem(files: files, in: "/store")
        let expected: Outcome =
          switch word {
          case .compatible: .done
          case .readOnly: access == .readOnly ? .done : .newerWriter
          case .incompatible: .newerFormat
          }
        let found = try Self.use(fileSystem, access)
        if found != expected { failures.append("bit \(bit), \(access): \(found)") }
        let isUnchanged = fileSystem.snapshotOfFiles(in: "/store") == files
        if isUnchanged == (access == .readWrite && expected == .done) {
          failures.append("bit \(bit), \(access): changed files")
        }
      }
    }
    #expect(failures.isEmpty)
  }

  @Test(
    "P18: unknown compatible flags of a manifest are kept when it is replaced", arguments: 0..<32)
  func compatibleFlagsAreKept(bit: Int) throws {
    let files = try Self.store(.compatible, .manifest, bit: bit)
    let fileSystem = SimulatedFileSystem(files: files, in: "/store")
    #expect(try Self.use(fileSystem, .readWrite) == .done)
    let manifest = try HostileStore.manifest(of: fileSystem.snapshotOfFiles(in: "/store"))
    #expect(manifest.compatibleFlags == 1 << UInt32(bit))
  }
}
