internal import FileIO

/// Where an import reads from; can be read twice, first for a sample and then for all of it.
final class ImportSource {
  let format: ImportFormat
  /// Nothing for standard input.
  private let path: String?
  private let console: Console
  /// What was opened and not read yet.
  private var opened: (any ByteInput)?
  private var spool: InputSpool?
  private var reader: (any RowReader)?
  /// How many bytes the import reads, where that is known.
  private(set) var byteCount: UInt64?

  /// The file at `path`, or standard input for `-`; the format is told by the name if not given.
  ///
  /// What cannot be opened is an error here, before anything is done for the import.
  init(_ path: String, format: ImportFormat?, console: Console) throws(FileIOError) {
    self.path = path == "-" ? nil : path
    self.format = format ?? ImportFormat(fileName: path) ?? .jsonLines
    self.console = console
    opened = try open()
  }

  /// The input for looking at every row before the import.
  ///
  /// A file is opened again afterwards; what cannot be, such as a pipe, is kept aside while it is
  /// read.
  func sample() throws(FileIOError) -> any ByteInput {
    let input = try takeOpened()
    if path != nil, input.byteCount != nil { return input }
    let spool = try InputSpool(input)
    self.spool = spool
    return spool
  }

  /// The rows of the import itself, the same reader each time.
  func rows() throws(FileIOError) -> any RowReader {
    if let reader { return reader }
    let input: any ByteInput
    if let spool { input = spool.replay() } else { input = try takeOpened() }
    byteCount = input.byteCount
    let reader = format.reader(of: input)
    self.reader = reader
    return reader
  }

  private func takeOpened() throws(FileIOError) -> any ByteInput {
    defer { opened = nil }
    if let opened { return opened }
    return try open()
  }

  private func open() throws(FileIOError) -> any ByteInput {
    if let path { return try DescriptorInput(path: path) }
    return console.standardInput()
  }
}
