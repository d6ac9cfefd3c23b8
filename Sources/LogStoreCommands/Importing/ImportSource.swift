internal import FileIO

/// Where an import reads from; can be read twice, first for a sample and then for all of it.
final class ImportSource {
  let format: ImportFormat
  /// Nothing for standard input.
  private let path: String?
  private let console: Console
  private var spool: InputSpool?

  /// The file at `path`, or standard input for `-`; the format is told by the name if not given.
  init(_ path: String, format: ImportFormat?, console: Console) {
    self.path = path == "-" ? nil : path
    self.format = format ?? ImportFormat(fileName: path) ?? .jsonLines
    self.console = console
  }

  /// The input for looking at every row before the import.
  ///
  /// A file is opened again afterwards; what cannot be, such as a pipe, is kept aside while it is
  /// read.
  func sample() throws(FileIOError) -> any ByteInput {
    let input = try open()
    if path != nil, input.byteCount != nil { return input }
    let spool = try InputSpool(input)
    self.spool = spool
    return spool
  }

  /// The input for the import itself.
  func input() throws(FileIOError) -> any ByteInput {
    if let spool { return spool.replay() }
    return try open()
  }

  private func open() throws(FileIOError) -> any ByteInput {
    if let path { return try DescriptorInput(path: path) }
    return console.standardInput()
  }
}
