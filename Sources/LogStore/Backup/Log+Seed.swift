package import FileIO

extension Log {
  /// The names of the files that a copy of the store in `directory` is to have, as its manifest
  /// says; of those that may be made again some may be missing.
  ///
  /// - Throws: ``LogError/notAStore(path:)`` without a manifest, ``LogError/corruption(_:)``,
  ///   ``LogError/fileIO(_:)``.
  package static func files(in directory: any Directory) throws(LogError) -> [FileName] {
    let manifest = try manifest(in: directory)
    return manifest.segments.map { StoreDirectory.segment($0.identifier) }
      + manifest.runs.map { StoreDirectory.run($0.identifier) }
      // It may say that the rest is not whole.
      + [StoreDirectory.backup]
  }

  /// Throws unless all segments are there that the manifest lists, as long as it says, and no
  /// record of a backup says that more is missing.
  ///
  /// - Throws: ``LogError/notAStore(path:)`` without a manifest, ``LogError/corruption(_:)``,
  ///   ``LogError/newerFormat(file:found:supported:)``, ``LogError/fileIO(_:)``.
  package static func checkWhole(in directory: any Directory) throws(LogError) {
    let manifest = try manifest(in: directory)
    let dictionaries = DictionaryShelf(manifest.store, in: directory, observer: nil)
    for descriptor in manifest.segments {
      let segment = Segment(
        descriptor, store: manifest.store, directory: directory, readMode: .buffered,
        dictionaries: dictionaries)
      let file = try segment.openFile()
      let byteCount: UInt64
      do throws(FileIOError) { byteCount = try file.size() } catch { throw .fileIO(error) }
      guard byteCount > descriptor.dataEnd else {
        throw segment.damage(
          at: byteCount, "the file ends where the manifest lists \(descriptor.dataEnd) bytes")
      }
    }
    try BackupRecord.checkWhole(in: directory)
  }

  private static func manifest(in directory: any Directory) throws(LogError) -> Manifest {
    guard let manifest = try ManifestFile.read(in: directory) else {
      throw .notAStore(path: directory.path)
    }
    return manifest
  }
}
