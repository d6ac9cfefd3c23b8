/// Reads a file or standard input from its start to its end through a descriptor.
public final class DescriptorInput: ByteInput {
  public let name: String
  public let byteCount: UInt64?
  private let descriptor: Int32
  /// Standard input is borrowed from the process and stays open.
  private let ownsDescriptor: Bool

  /// Opens the file at `path`; links are followed, and pipes and devices may be named too.
  ///
  /// - Throws: `.notPlainFile` for a directory.
  public convenience init(path: String) throws(FileIOError) {
    let descriptor: Int32
    do {
      descriptor = try SystemCalls.openForReading(path)
    } catch {
      throw FileIOError(error, operation: "open", path: path)
    }
    self.init(descriptor, name: path, ownsDescriptor: true)
  }

  private init(_ descriptor: Int32, name: String, ownsDescriptor: Bool) {
    self.descriptor = descriptor
    self.name = name
    self.ownsDescriptor = ownsDescriptor
    byteCount = SystemCalls.plainFileByteCount(descriptor)
  }

  deinit {
    if ownsDescriptor { SystemCalls.closeDescriptor(descriptor) }
  }

  /// The standard input of this process.
  public static func standardInput() -> DescriptorInput {
    DescriptorInput(SystemCalls.standardInput, name: "standard input", ownsDescriptor: false)
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileIOError) -> Int {
    guard buffer.count > 0 else { return 0 }
    do {
      return try SystemCalls.readNext(descriptor, into: buffer)
    } catch {
      throw FileIOError(error, operation: "read", path: name)
    }
  }
}
