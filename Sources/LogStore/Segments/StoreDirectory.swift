package import FileIO

/// Every file name of a store.
///
///     MANIFEST                     which segments make up the store; replaced atomically
///     MANIFEST.new                 the next manifest while it is written; ignored otherwise
///     MANIFEST.damaged             one that was replaced because it was damaged; never read
///     COPY.new                     a segment while a backup copies it; ignored otherwise
///     BACKUP                       what backups have put there; see BackupRecord
///     BACKUP.new                   the same while it is written; ignored otherwise
///     RESERVE                      space for a full disk; holds nothing
///     RESERVE.2, RESERVE.3         empty: inodes for a full disk
///     segment-0000002a.log         segment 42
///     index-0000002b.run           merged run 43; segments and runs share their numbers
package enum StoreDirectory {
  package static let manifest = name("MANIFEST")
  static let newManifest = name("MANIFEST.new")
  static let damagedManifest = name("MANIFEST.damaged")
  static let newCopy = name("COPY.new")
  static let backup = name("BACKUP")
  static let newBackup = name("BACKUP.new")
  static let reserve = name("RESERVE")
  static let emptyReserves = [name("RESERVE.2"), name("RESERVE.3")]

  /// The file of a segment.
  package static func segment(_ identifier: SegmentIdentifier) -> FileName {
    name("segment-" + digits(identifier.rawValue) + ".log")
  }

  /// The file of a merged run.
  package static func run(_ identifier: RunIdentifier) -> FileName {
    name("index-" + digits(identifier.rawValue) + ".run")
  }

  /// The segment whose file is called `text`, or nothing when it is another file.
  static func segmentIdentifier(of text: String) -> SegmentIdentifier? {
    number(in: text, between: "segment-", and: ".log").map { SegmentIdentifier($0) }
  }

  /// The merged run whose file is called `text`, or nothing when it is another file.
  static func runIdentifier(of text: String) -> RunIdentifier? {
    number(in: text, between: "index-", and: ".run").map { RunIdentifier($0) }
  }

  static func isRun(_ name: FileName) -> Bool { runIdentifier(of: name.description) != nil }

  /// The name when it is one that a store uses.
  static func file(_ text: String) -> FileName? {
    if let identifier = segmentIdentifier(of: text) { return segment(identifier) }
    if let identifier = runIdentifier(of: text) { return run(identifier) }
    return [manifest, newManifest, damagedManifest].first { $0.description == text }
  }

  private static func digits(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  private static func number(
    in text: String, between prefix: String, and suffix: String
  ) -> UInt32? {
    guard text.hasPrefix(prefix), text.hasSuffix(suffix),
      let number = UInt32(text.dropFirst(prefix.count).dropLast(suffix.count), radix: 16)
    else { return nil }
    return prefix + digits(number) + suffix == text ? number : nil
  }

  private static func name(_ text: String) -> FileName {
    guard let name = FileName(text) else {
      preconditionFailure("a file name of the store must be valid")
    }
    return name
  }
}
