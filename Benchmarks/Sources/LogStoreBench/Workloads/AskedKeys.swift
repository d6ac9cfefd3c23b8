/// Keys in the order in which they are asked for, one behind the other.
///
/// Made before the clock runs: the harness then reads memory in order, and what is measured are the
/// cache misses of the engine, not those of finding a key at random in the file of records.
struct AskedKeys: Sendable {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  init(_ records: RecordFile, _ numbers: some Collection<UInt32>) {
    reserveCapacity(records, numbers)
    for number in numbers { append(records.key(Int(number))) }
  }

  /// Keys beside those of `numbers` that no record has.
  init(missingFrom records: RecordFile, _ numbers: some Collection<UInt32>) {
    reserveCapacity(records, numbers)
    for number in numbers {
      var key = [UInt8](records.key(Int(number)))
      records.keyKind.makeMissing(&key)
      key.withUnsafeBytes { append($0) }
    }
  }

  /// Room for all from the beginning: arrays that grew leave holes, which an engine would fill
  /// without taking memory.
  private mutating func reserveCapacity(
    _ records: RecordFile, _ numbers: some Collection<UInt32>
  ) {
    // A missing key may have a byte more.
    bytes.reserveCapacity(numbers.reduce(0) { $0 + records.key(Int($1)).count + 1 })
    ends.reserveCapacity(numbers.count)
  }

  private mutating func append(_ key: UnsafeRawBufferPointer) {
    bytes.append(contentsOf: key)
    ends.append(bytes.count)
  }

  var count: Int { ends.count }

  /// Lends one key.
  @inline(__always)
  func withKey<Result>(
    _ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let range = (index == 0 ? 0 : ends[index - 1])..<ends[index]
    return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  /// Lends the keys one after the other.
  func withEach(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try bytes.withUnsafeBytes { bytes in
      var start = 0
      for end in ends {
        try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
      }
    }
  }
}
