internal import BinaryCoding
internal import FileIO

/// Reads and atomically replaces the manifest of a directory; the only place that renames.
enum ManifestFile {
  /// The manifest, or nothing when there is none.
  static func read(in directory: any Directory) throws(LogError) -> Manifest? {
    try readWithBytes(in: directory)?.manifest
  }

  /// The same with the bytes of the file.
  static func readWithBytes(
    in directory: any Directory
  ) throws(LogError) -> (manifest: Manifest, bytes: [UInt8])? {
    let name = StoreDirectory.manifest
    let file: any File
    do throws(FileIOError) {
      file = try directory.open(name, .read)
    } catch {
      if error.reason == .notFound { return nil }
      throw .fileIO(error)
    }
    let bytes = try FileReading.all(of: file, limit: LogLimits.manifestByteCount, name: name)
    let manifest = try bytes.withBytes { (buffer: UnsafeRawBufferPointer) throws(LogError) in
      try Manifest.decode(buffer, file: name.description)
    }
    return (manifest, bytes)
  }

  /// Why a manifest was not replaced.
  struct Failure: Error {
    let cause: FileIOError
    /// Whether the new manifest may be in force after all, or a synchronization failed.
    let isAmbiguous: Bool

    /// Synchronizes a file; one that fails leaves nothing certain.
    static func synchronizing(_ file: any File) throws(Failure) {
      do throws(FileIOError) {
        try file.synchronize()
      } catch { throw Failure(cause: error, isAmbiguous: true) }
    }

    /// The same for a file that no manifest lists, and that goes when this fails: where some file
    /// systems find out only here that there is no room, all else is as it was.
    static func synchronizing(unlisted file: any File) throws(Failure) {
      do throws(FileIOError) {
        try file.synchronize()
      } catch { throw Failure(cause: error, isAmbiguous: error.reason != .noSpace) }
    }
  }

  /// Replaces the manifest by an encoded one; durable on return.
  ///
  /// 1. Write the new one beside the old. 2. `settle`, which makes the contents durable that the
  /// new one relies on. 3. Synchronize the new one, and with `hasNewNames` the directory, for the
  /// names of files that it lists. 4. Rename it over the old. 5. Synchronize the directory. A crash
  /// before 4 leaves the old one, after 4 either. Who changes something between does it in two
  /// steps: ``prepare(_:in:settling:)`` and ``putInForce(in:hasNewNames:)``.
  ///
  /// 2 comes behind 1 so that the first synchronization takes with it what the file system has to
  /// note of all files.
  static func replace(
    with bytes: [UInt8], in directory: any Directory, hasNewNames: Bool = false,
    settling settle: (() throws(Failure) -> Void)? = nil
  ) throws(Failure) {
    try prepare(bytes, in: directory, settling: settle)
    try putInForce(in: directory, hasNewNames: hasNewNames)
  }

  /// Writes a new manifest beside the one in force, and synchronizes it: putting it in force needs
  /// no room any more.
  static func prepare(
    _ bytes: [UInt8], in directory: any Directory,
    settling settle: (() throws(Failure) -> Void)? = nil
  ) throws(Failure) {
    let file: any File
    do throws(FileIOError) {
      file = try write(bytes, in: directory)
    } catch { throw Failure(cause: error, isAmbiguous: false) }
    do throws(Failure) {
      try settle?()
      try Failure.synchronizing(unlisted: file)
    } catch {
      if !error.isAmbiguous { discard(in: directory) }
      throw error
    }
  }

  /// Lets the one that was prepared take the place of the one in force; durable on return.
  static func putInForce(
    in directory: any Directory, hasNewNames: Bool = false
  ) throws(Failure) {
    do throws(FileIOError) {
      if hasNewNames { try directory.synchronize() }
      try directory.rename(StoreDirectory.newManifest, to: StoreDirectory.manifest)
      try directory.synchronize()
    } catch { throw Failure(cause: error, isAmbiguous: true) }
  }

  /// Removes the new one; on a full disk the half of it would be missed.
  static func discard(in directory: any Directory) {
    do throws(FileIOError) { try directory.remove(StoreDirectory.newManifest) } catch {}
  }

  private static func write(
    _ bytes: [UInt8], in directory: any Directory
  ) throws(FileIOError) -> any File {
    do throws(FileIOError) {
      try directory.remove(StoreDirectory.newManifest)
    } catch {
      if error.reason != .notFound { throw error }
    }
    let file = try directory.open(StoreDirectory.newManifest, .createNew)
    do throws(FileIOError) {
      try bytes.withBytes { (buffer: UnsafeRawBufferPointer) throws(FileIOError) in
        try file.write([buffer], at: 0)
      }
      file.startWriting(0..<UInt64(bytes.count))
    } catch {
      discard(in: directory)
      throw error
    }
    return file
  }
}
