import FileIO
import Foundation
import Testing

@Suite("Files and pipes are read and written in order through descriptors")
struct DescriptorStreamTests {
  private func readAll(_ input: some ByteInput, partByteCount: Int) throws -> [UInt8] {
    var result: [UInt8] = []
    var part = [UInt8](repeating: 0, count: partByteCount)
    while true {
      let count = try part.withUnsafeMutableBytes { try input.read(into: $0) }
      if count == 0 { return result }
      result.append(contentsOf: part[..<count])
    }
  }

  @Test("A file is read to its end, and its size is known before", arguments: [1, 7, 4096])
  func file(partByteCount: Int) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: path) }
    let bytes = (0..<100).map { UInt8($0) }
    try Data(bytes).write(to: path)
    let input = try DescriptorInput(path: path.path)
    #expect(input.byteCount == 100)
    #expect(input.name == path.path)
    #expect(try readAll(input, partByteCount: partByteCount) == bytes)
  }

  @Test("A missing file is not found")
  func missing() {
    #expect(throws: FileIOError(.notFound, operation: "open", path: "/no/such/file")) {
      try DescriptorInput(path: "/no/such/file")
    }
  }

  @Test("A directory is not a plain file, and is refused when it is opened")
  func directory() {
    #expect(throws: FileIOError(.notPlainFile, operation: "open", path: "/")) {
      try DescriptorInput(path: "/")
    }
  }

  @Test("Writing to a pipe whose reader has gone fails instead of ending the process")
  func brokenPipe() async {
    await #expect(processExitsWith: .success) {
      Signals.ignoreBrokenPipe()
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      dup2(pipe.fileHandleForWriting.fileDescriptor, STDOUT_FILENO)
      let output = DescriptorOutput.standardOutput()
      #expect(output.terminalColumnCount == nil)
      #expect(throws: FileIOError(.brokenPipe, operation: "write", path: "standard output")) {
        try [UInt8](repeating: 1, count: 10).withUnsafeBytes { try output.write($0) }
      }
    }
  }

  @Test("A pipe that was told to let nobody wait is waited for all the same")
  func notBlocking() async {
    await #expect(processExitsWith: .success) {
      // What is printed at the end has no reader.
      Signals.ignoreBrokenPipe()
      let (input, output) = (Pipe(), Pipe())
      for file in [input.fileHandleForReading, output.fileHandleForWriting] {
        let descriptor = file.fileDescriptor
        #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
      }
      dup2(input.fileHandleForReading.fileDescriptor, STDIN_FILENO)
      let bytes = [UInt8](repeating: 7, count: 1 << 20)
      let feeder = Thread {
        usleep(20_000)
        try? input.fileHandleForWriting.write(contentsOf: Data([1, 2, 3]))
        try? input.fileHandleForWriting.close()
        usleep(20_000)
        var count = 0
        while count < 1 << 20 { count += output.fileHandleForReading.availableData.count }
      }
      feeder.start()
      var part = [UInt8](repeating: 0, count: 16)
      let standardInput = DescriptorInput.standardInput()
      let count = try part.withUnsafeMutableBytes { try standardInput.read(into: $0) }
      #expect(Array(part[..<count]) == [1, 2, 3])
      dup2(output.fileHandleForWriting.fileDescriptor, STDOUT_FILENO)
      try bytes.withUnsafeBytes { try DescriptorOutput.standardOutput().write($0) }
    }
  }

  @Test("A long write to a slow reader arrives whole")
  func longWrite() async throws {
    await #expect(processExitsWith: .success) {
      let pipe = Pipe()
      dup2(pipe.fileHandleForWriting.fileDescriptor, STDOUT_FILENO)
      try pipe.fileHandleForWriting.close()
      let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
      let writer = Thread {
        _ = try? bytes.withUnsafeBytes { try DescriptorOutput.standardOutput().write($0) }
        close(STDOUT_FILENO)
      }
      writer.start()
      let received = try pipe.fileHandleForReading.readToEnd() ?? Data()
      precondition([UInt8](received) == bytes)
    }
  }
}
