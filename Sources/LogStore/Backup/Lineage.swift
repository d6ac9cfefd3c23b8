internal import BinaryCoding
internal import FileIO

/// Which of the ways that copies of a store may have gone its commits belong to.
///
/// Copies of one store have the same identifier, and can have as many commits and segments as each
/// other though they hold different ones: a store that was restored from an older backup goes a way
/// of its own with the first commit. So a backup draws a number for what is written to it from then
/// on, and notes what it was made of; see ``BackupRecord``.
struct Lineage {
  /// 0 for a store that is no copy of another one; nothing where that cannot be told.
  let number: UInt64?
  /// Fingerprint of the manifest that a copy was made of, which was written to since.
  private var source: UInt64?
  /// Those of the manifests with which that copy began.
  private var beginnings: [UInt64] = []

  /// That of the store in `directory`.
  static func read(
    in directory: any Directory, of store: StoreIdentifier
  ) throws(LogError) -> Lineage {
    let record: BackupRecord?
    do throws(LogError) { record = try BackupRecord.read(in: directory) } catch {
      guard error.damage != nil else { throw error }
      return Lineage(number: nil)
    }
    guard let record, record.store == store else { return Lineage(number: 0) }
    var bytes: [UInt8]?
    do throws(LogError) { bytes = try ManifestFile.readWithBytes(in: directory)?.bytes } catch {
      // Of one that is damaged, or cannot be read, nobody can tell whether it was written to.
      guard error.damage != nil else { throw error }
    }
    // As long as nobody has written to a copy, it is a state of what it was made of.
    let isUnwritten = bytes.map { record.describes(manifestBytes: $0) } ?? false
    return Lineage(
      number: isUnwritten ? record.lineage : record.ownLineage, source: record.source,
      beginnings: record.fingerprints)
  }

  private init(number: UInt64?, source: UInt64? = nil, beginnings: [UInt64] = []) {
    self.number = number
    self.source = source
    self.beginnings = beginnings
  }

  /// Whether what `backup` holds, in a manifest with `fingerprint`, is an earlier state of this.
  func includes(_ backup: BackupRecord, fingerprint: UInt64) -> Bool {
    backup.lineage == number || fingerprint == source
      || backup.source.map(beginnings.contains) == true
  }
}
