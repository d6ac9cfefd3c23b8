internal import BinaryCoding
internal import FileIO

/// A segment's file as it describes itself, whatever a manifest says about it.
struct FoundSegment {
  let identifier: SegmentIdentifier
  /// Nothing when the header does not verify, or says that the file belongs to another place.
  let header: SegmentHeader?
  /// What the copy of a manifest says that it carries.
  let copy: Copy?
  /// Whether anything but zeros stands behind the header; known only where that does not verify.
  let hasContents: Bool

  /// What is kept of a copy of a manifest: each lists all segments of its time, so that those of
  /// all segments together would take memory in the square of their number.
  struct Copy: Equatable {
    let generation: UInt64
    let lastSequence: CommitSequence
  }

  /// All segment files of a directory, by identifier; reads a header and the end of each.
  ///
  /// What holds nothing, or is no file, does not count with a number out of reach of all others:
  /// the store did not make it.
  static func all(in directory: any Directory) throws(LogError) -> [FoundSegment] {
    let names = try directory.names()
    var found: [FoundSegment] = []
    var links: [(number: UInt32, error: FileIOError)] = []
    for name in names {
      guard let identifier = StoreDirectory.segmentIdentifier(of: name),
        identifier.rawValue > 0, identifier.rawValue < LogLimits.segmentIdentifier - 1
      else { continue }
      do throws(LogError) {
        found.append(try FoundSegment(identifier, in: directory))
      } catch .fileIO(let error) where error.reason == .notPlainFile {
        links.append((identifier.rawValue, error))
      }
    }
    if let mark = found.lazy.filter({ $0.header != nil }).map(\.identifier.rawValue).max() {
      links.removeAll { LogLimits.isOutOfReach($0.number, of: mark) }
      found.removeAll {
        !$0.hasContents && LogLimits.isOutOfReach($0.identifier.rawValue, of: mark)
      }
    }
    if let link = links.first { throw .fileIO(link.error) }
    return found.sorted { $0.identifier < $1.identifier }
  }

  /// That of one name.
  init(_ identifier: SegmentIdentifier, in directory: any Directory) throws(LogError) {
    let name = StoreDirectory.segment(identifier)
    let file: any File
    do throws(FileIOError) {
      file = try directory.open(name, .read)
    } catch { throw .fileIO(error) }
    self.identifier = identifier
    var bytes = [UInt8](repeating: 0, count: SegmentHeader.byteCount)
    let count = try FileReading.upTo(&bytes, of: file, at: 0)
    header = try Self.header(bytes[..<count], identifier, name)
    if let header {
      hasContents = true
      copy = try Self.manifest(in: file, of: header, name: name).map {
        Copy(generation: $0.generation, lastSequence: $0.lastSequence)
      }
    } else {
      copy = nil
      do throws(FileIOError) {
        hasContents = try Self.hasContents(file)
      } catch { throw .fileIO(error) }
    }
  }

  /// The copy of a manifest that it carries, read again.
  func manifest(in directory: any Directory) throws(LogError) -> Manifest? {
    guard let header, copy != nil else { return nil }
    let name = StoreDirectory.segment(identifier)
    let file: any File
    do throws(FileIOError) {
      file = try directory.open(name, .read)
    } catch { throw .fileIO(error) }
    return try Self.manifest(in: file, of: header, name: name)
  }

  private static func manifest(
    in file: any File, of header: SegmentHeader, name: FileName
  ) throws(LogError) -> Manifest? {
    guard
      case .copy(let manifest, _) = try ManifestCopy.read(
        from: file, salt: header.salt, name: name), manifest.store == header.store
    else { return nil }
    return manifest
  }

  /// Walks the frames from the first; only for a segment whose header verifies.
  func scanner(
    in directory: any Directory, of header: SegmentHeader
  ) throws(LogError) -> FrameScanner {
    let name = StoreDirectory.segment(identifier)
    do throws(FileIOError) {
      let file = try directory.open(name, .read)
      var bytes = [UInt8](repeating: 0, count: SegmentHeader.byteCount)
      _ = try bytes.withMutableBytes { (bytes: UnsafeMutableRawBufferPointer) throws(FileIOError) in
        try file.read(into: bytes, at: 0)
      }
      return try bytes.withBytes { (bytes: UnsafeRawBufferPointer) throws(FileIOError) in
        try FrameScanner(file, of: header, bytes, limit: nil)
      }
    } catch { throw .fileIO(error) }
  }

  private static func header(
    _ bytes: ArraySlice<UInt8>, _ identifier: SegmentIdentifier, _ name: FileName
  ) throws(LogError) -> SegmentHeader? {
    let header: SegmentHeader
    do throws(LogError) {
      header = try [UInt8](bytes).withBytes { (bytes: UnsafeRawBufferPointer) throws(LogError) in
        try SegmentHeader.decode(bytes, file: name.description)
      }
    } catch .corruption { return nil }
    try header.checkVersion(file: name)
    return header.segment == identifier ? header : nil
  }

  private static func hasContents(_ file: any File) throws(FileIOError) -> Bool {
    let window = try FileWindow(file)
    var offset = UInt64(SegmentHeader.byteCount)
    while offset < LogLimits.segmentByteCount {
      let bytes = try window.bytes(at: offset, count: 64 << 10)
      if bytes.isEmpty { return false }
      if !bytes.allSatisfy({ $0 == 0 }) { return true }
      offset += UInt64(bytes.count)
    }
    return false
  }
}
