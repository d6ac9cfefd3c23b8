import Foundation

/// Writes a record file: keys and values go to the disk as they come, their places at the end.
final class RecordFileWriter {
  private let file: FileHandle
  private var pending: [UInt8] = []
  private var byteCount = 0
  private var starts: [Int] = []
  private var valueByteCount = 0

  private static let pendingByteCountMaximum = 1 << 20

  init(path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw BenchmarkError("cannot write \(path)") }
    self.file = file
  }

  func append(key: [UInt8], value: [UInt8]) throws {
    for part in [key, value] {
      starts.append(byteCount)
      byteCount += part.count
      pending.append(contentsOf: part)
    }
    valueByteCount += value.count
    if pending.count >= Self.pendingByteCountMaximum { try flush() }
  }

  /// Completes the file.
  func finish() throws {
    let padding = -byteCount & 7
    pending.append(contentsOf: [UInt8](repeating: 0, count: padding))
    try flush()
    let count = starts.count / 2
    starts += [byteCount, count, valueByteCount]
    try starts.withUnsafeBytes { try file.write(contentsOf: Data($0)) }
    try file.close()
  }

  private func flush() throws {
    try file.write(contentsOf: Data(pending))
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes `count` generated persons.
  static func writePersons(
    _ count: Int, keyKind: KeyKind, addedByteCount: Int, seed: UInt64, to path: String
  ) throws {
    let generator = PersonGenerator(seed: seed, addedByteCount: addedByteCount)
    var random = SplitMix(seed: seed ^ 0x5EED)
    let writer = try RecordFileWriter(path: path)
    var value: [UInt8] = []
    for number in 0..<count {
      value.removeAll(keepingCapacity: true)
      PersonCoding.append(generator.person(number), to: &value)
      try writer.append(key: key(number, keyKind, &random), value: value)
    }
    try writer.finish()
  }

  private static func key(_ number: Int, _ kind: KeyKind, _ random: inout SplitMix) -> [UInt8] {
    let words = kind == .integer ? [UInt64(number) * 2] : [random.next(), random.next() & ~1]
    return words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { [UInt8]($0) } }
  }
}
