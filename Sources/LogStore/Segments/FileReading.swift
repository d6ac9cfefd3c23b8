internal import BinaryCoding
internal import FileIO

/// Reads parts of files and turns what goes wrong into errors of the log.
enum FileReading {
  /// All bytes of a file that has at most `limit`; more is corruption, not an allocation.
  static func all(of file: any File, limit: UInt64, name: FileName) throws(LogError) -> [UInt8] {
    let size: UInt64
    do throws(FileIOError) { size = try file.size() } catch { throw .fileIO(error) }
    guard size <= limit else {
      throw .corruption(
        CorruptionReport(file: name.description, offset: 0, reason: "it has \(size) bytes"))
    }
    return try exactly(Int(size), of: file, at: 0, name: name)
  }

  /// `count` bytes at `offset`; fewer in the file is corruption, a failed read is not.
  static func exactly(
    _ count: Int, of file: any File, at offset: UInt64, name: @autoclosure () -> FileName
  ) throws(LogError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try upTo(&bytes, of: file, at: offset)
    guard read == count else {
      throw .corruption(
        CorruptionReport(
          file: name().description, offset: offset + UInt64(read),
          reason: "the file ends after \(read) of \(count) bytes"))
    }
    return bytes
  }

  /// Fills `bytes` as far as the file goes and returns how many were read.
  static func upTo(
    _ bytes: inout [UInt8], of file: any File, at offset: UInt64
  ) throws(LogError) -> Int {
    do throws(FileIOError) {
      return try bytes.withMutableBytes {
        (buffer: UnsafeMutableRawBufferPointer) throws(FileIOError) in
        try file.read(into: buffer, at: offset)
      }
    } catch { throw .fileIO(error) }
  }
}
