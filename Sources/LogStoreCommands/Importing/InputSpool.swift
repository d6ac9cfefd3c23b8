internal import FileIO
internal import Foundation

/// Keeps what is read from an input that cannot be read twice in a file without a name.
///
/// Takes as much room in the directory for temporary files as the input has bytes; the room is
/// given back with this object, also when the process is killed.
final class InputSpool: ByteInput {
  let name: String
  let byteCount: UInt64?
  private let input: any ByteInput
  private let file: any File
  private var offset: UInt64 = 0

  init(_ input: any ByteInput) throws(FileIOError) {
    self.input = input
    name = input.name
    byteCount = input.byteCount
    let given = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
    let path = given.isEmpty ? "/tmp" : given
    // The last part of a path must be no link; "." never is, and the directory may be one.
    let directory = try POSIXFileSystem().openDirectory(at: path + "/.", create: false)
    let digits = String(SystemRandomSource().next(), radix: 16)
    guard let fileName = FileName("logstore-import-\(digits)") else {
      preconditionFailure("the name of a temporary file must be valid")
    }
    file = try directory.open(fileName, .createNew)
    try directory.remove(fileName)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileIOError) -> Int {
    let count = try input.read(into: buffer)
    try file.write([UnsafeRawBufferPointer(rebasing: buffer[..<count])], at: offset)
    offset += UInt64(count)
    return count
  }

  /// All that was read so far, from its start.
  func replay() -> any ByteInput { Replay(file: file, name: name, byteCount: offset) }

  private final class Replay: ByteInput {
    let name: String
    let byteCount: UInt64?
    private let file: any File
    private var offset: UInt64 = 0

    init(file: any File, name: String, byteCount: UInt64) {
      self.file = file
      self.name = name
      self.byteCount = byteCount
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileIOError) -> Int {
      let count = try file.read(into: buffer, at: offset)
      offset += UInt64(count)
      return count
    }
  }
}
