/// Person-like payloads of 101 to 325 bytes, the same for the same number on every machine.
struct PersonRecords {
  private static let words = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jetty",
    "knoll", "larch", "maple", "north", "ocean", "pearl", "quartz", "river", "stone", "thorn",
    "umber", "vale", "willow", "xenon", "yarrow", "zephyr",
  ]

  /// The key of a record: its number, most significant byte first.
  static func key(_ number: Int) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: UInt64(number) >> (56 - 8 * UInt64($0))) }
  }

  /// Tag, length and value of seven members.
  static func payload(_ number: Int) -> [UInt8] {
    var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    func text(_ count: Int) -> String {
      (0..<count).map { _ in words[Int(next() % UInt64(words.count))] }.joined(separator: " ")
    }
    let members = [
      text(2), text(1) + "." + text(1) + "@example.com", "\(next() % 90)", text(4),
      "+\(next() % 10_000_000_000)", String(next(), radix: 16), text(4 + Int(next() % 30)),
    ]
    var bytes: [UInt8] = []
    for (tag, member) in members.enumerated() {
      bytes.append(UInt8(tag))
      bytes.append(UInt8(truncatingIfNeeded: member.utf8.count))
      bytes.append(contentsOf: member.utf8)
    }
    return bytes
  }
}
