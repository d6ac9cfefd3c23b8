import Foundation

/// A user's records: one JSON object a line; the line is the value, one of its members the key.
enum LineFile {
  /// Copies the records of `input` into a record file; of lines with the same key the first counts.
  static func convert(_ input: String, keyMember: String, to path: String) throws {
    let text = try Data(contentsOf: URL(filePath: input))
    let writer = try RecordFileWriter(path: path)
    var keys: Set<[UInt8]> = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n")).enumerated() {
      let place = "line \(index + 1) of \(input)"
      guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else {
        throw BenchmarkError("\(place) is no JSON object")
      }
      guard let member = object[keyMember] else {
        throw BenchmarkError("\(place) has no member \(keyMember)")
      }
      let key = [UInt8]("\(member)".utf8)
      guard !key.isEmpty, key.count <= keyByteCountMaximum else {
        throw BenchmarkError("\(place): a key has 1 to \(keyByteCountMaximum) bytes")
      }
      if keys.insert(key).inserted { try writer.append(key: key, value: [UInt8](line)) }
    }
    guard !keys.isEmpty else { throw BenchmarkError("\(input) holds no records") }
    try writer.finish()
  }

  /// LMDB's limit, less the byte that makes a key one that is not there.
  private static let keyByteCountMaximum = 510
}
