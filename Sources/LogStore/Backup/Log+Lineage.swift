package import FileIO

extension Log {
  /// Says of a copy of a store that it goes a way of its own from here on, in the file `BACKUP`:
  /// without that all copies of one store take each other's backups for earlier ones of their own.
  ///
  /// For copies that no backup has made; nobody may have them open. It does replace a backup from
  /// which it was copied, as long as nothing else did. Where its manifest cannot be read nothing is
  /// said, and opening tells. Durable on return. Throws ``LogError/fileIO(_:)``.
  package static func beginLineage(in directory: any Directory) throws(LogError) {
    let found: (manifest: Manifest, bytes: [UInt8])?
    do throws(LogError) { found = try ManifestFile.readWithBytes(in: directory) } catch {
      guard error.damage != nil else { throw error }
      return
    }
    guard let found else { return }
    var generator = SystemRandomNumberGenerator()
    let lineage: UInt64 = generator.next()
    let record = BackupRecord(
      of: found.manifest, after: found.bytes, lineage: lineage,
      source: BackupRecord.fingerprint(ofManifest: found.bytes, of: found.manifest.store),
      random: lineage)
    do throws(FileIOError) { try record.write(in: directory) } catch { throw .fileIO(error) }
  }
}
