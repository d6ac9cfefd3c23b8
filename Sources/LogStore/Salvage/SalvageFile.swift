internal import BinaryCoding
internal import FileIO

/// A file of a damaged store: where a read fails it is done again in pieces, and the pieces that
/// cannot be read are zeros.
///
/// A piece that failed is not asked for again: each try may take a failing disk seconds. So there
/// are at most two failed reads for each bad piece, however often it is passed.
final class SalvageFile: File {
  private let base: (any File)?
  private let byteCount: UInt64
  private let name: FileName
  private let source: SalvageSource

  /// What disks read and lose at a time.
  static let pieceByteCount: UInt64 = 4096

  /// - Parameter base: nothing where the file cannot be opened.
  init(_ base: (any File)?, byteCount: UInt64, name: FileName, in source: SalvageSource) {
    self.base = base
    self.byteCount = byteCount
    self.name = name
    self.source = source
  }

  func size() throws(FileIOError) -> UInt64 { byteCount }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(FileIOError) -> Int {
    guard let base, offset < byteCount else { return 0 }
    let count = Int(min(UInt64(buffer.count), byteCount - offset))
    let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    let known = source.damage(of: name)?.ranges
    if known?.overlaps(offset..<(offset + UInt64(count))) != true {
      do throws(FileIOError) { return try base.read(into: wanted, at: offset) } catch {
        guard error.tellsOfDamage else { throw error }
      }
    }
    return try readPieces(of: base, into: wanted, at: offset, known ?? ByteRanges())
  }

  private func readPieces(
    of base: any File, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64,
    _ known: ByteRanges
  ) throws(FileIOError) -> Int {
    var done = 0
    while done < buffer.count {
      let place = offset + UInt64(done)
      let start = place - place % Self.pieceByteCount
      let count = min(buffer.count - done, Int(start + Self.pieceByteCount - place))
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + count)])
      if known.contains(place) {
        piece.initializeMemory(as: UInt8.self, repeating: 0)
      } else {
        let read = try read(piece, of: base, at: place)
        guard read == count else { return done + read }
      }
      done += count
    }
    return done
  }

  /// Reads within one piece, of which all is noted where that fails.
  private func read(
    _ buffer: UnsafeMutableRawBufferPointer, of base: any File, at offset: UInt64
  ) throws(FileIOError) -> Int {
    do throws(FileIOError) { return try base.read(into: buffer, at: offset) } catch {
      guard error.tellsOfDamage else { throw error }
      let start = offset - offset % Self.pieceByteCount
      source.note(error, of: name, in: start..<min(start + Self.pieceByteCount, byteCount))
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      return buffer.count
    }
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: UInt64) throws(FileIOError) {
    throw refusal("write")
  }

  func synchronize() throws(FileIOError) { throw refusal("synchronize") }

  func truncate(to size: UInt64) throws(FileIOError) { throw refusal("truncate") }

  func allocate(_ range: Range<UInt64>) throws(FileIOError) { throw refusal("allocate") }

  func map(count: Int) throws(FileIOError) -> MappedBytes { throw refusal("map") }

  private func refusal(_ operation: String) -> FileIOError {
    FileIOError(.permissionDenied, operation: operation, path: "\(source.path)/\(name)")
  }
}
