import Foundation

/// Writes a record file: keys and values go to the disk as they come, their places at the end.
struct RecordFileWriter {
  private var keysAndValues: [UInt8] = []
  private var starts: [Int] = []
  private var valueByteCount = 0

  mutating func append(key: [UInt8], value: [UInt8]) {
    starts.append(keysAndValues.count)
    keysAndValues.append(contentsOf: key)
    starts.append(keysAndValues.count)
    keysAndValues.append(contentsOf: value)
    valueByteCount += value.count
  }

  func write(to path: String) throws {
    let count = starts.count / 2
    let first = (starts.count + 3) * 8
    let header =
      [count, valueByteCount] + starts.map { $0 + first } + [first + keysAndValues.count]
    guard let file = fopen(path, "wb") else { throw BenchmarkError("cannot write \(path)") }
    defer { fclose(file) }
    let isWritten =
      header.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) == $0.count }
      && keysAndValues.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) == $0.count }
    guard isWritten else { throw BenchmarkError("cannot write \(path)") }
  }

  /// Writes `count` generated persons.
  static func writePersons(
    _ count: Int, keyKind: KeyKind, addedByteCount: Int, seed: UInt64, to path: String
  ) throws {
    let generator = PersonGenerator(seed: seed, addedByteCount: addedByteCount)
    var random = SplitMix(seed: seed ^ 0x5EED)
    var writer = RecordFileWriter()
    var value: [UInt8] = []
    for number in 0..<count {
      value.removeAll(keepingCapacity: true)
      PersonCoding.append(generator.person(number), to: &value)
      writer.append(key: key(number, keyKind, &random), value: value)
    }
    try writer.write(to: path)
  }

  private static func key(_ number: Int, _ kind: KeyKind, _ random: inout SplitMix) -> [UInt8] {
    let words = kind == .integer ? [UInt64(number) * 2] : [random.next(), random.next() & ~1]
    return words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { [UInt8]($0) } }
  }
}
