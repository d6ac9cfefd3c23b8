/// Writes to standard output or standard error, without a buffer of its own.
public final class DescriptorOutput: ByteOutput {
  public let name: String
  /// The number of columns when this is a terminal, otherwise nothing; asked of the system anew.
  public var terminalColumnCount: Int? { SystemCalls.terminalColumnCount(descriptor) }
  private let descriptor: Int32

  private init(_ descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// The standard output of this process.
  public static func standardOutput() -> DescriptorOutput {
    DescriptorOutput(SystemCalls.standardOutput, name: "standard output")
  }

  /// The standard error of this process.
  public static func standardError() -> DescriptorOutput {
    DescriptorOutput(SystemCalls.standardError, name: "standard error")
  }

  /// Whether this writes to what is at `path`, links being followed.
  public func leads(to path: String) -> Bool {
    (try? SystemCalls.isFile(descriptor, at: path)) ?? false
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(FileIOError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do {
        let count = try SystemCalls.writeNext(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        rest = rest.dropFirst(count)
      } catch {
        throw FileIOError(error, operation: "write", path: name)
      }
    }
  }
}
