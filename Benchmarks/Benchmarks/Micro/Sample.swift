import BinaryCoding

/// Bytes like those that stores hold, the same ones each time.
enum Sample {
  /// About two hundred bytes that repeat a little, as members of a person do.
  static func payload(_ number: Int) -> [UInt8] {
    let words = ["Ada", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Alan", "Radia"]
    var text = ""
    var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 | 1
    while text.utf8.count < 200 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      text += "\(words[Int(state >> 61)]) \(state >> 44) "
    }
    return [UInt8](text.utf8.prefix(200))
  }

  /// An eight-byte key; neighbours in number are not neighbours in order.
  static func key(_ number: Int) -> [UInt8] {
    let mixed = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
    return withUnsafeBytes(of: mixed.bigEndian) { [UInt8]($0) }
  }
}
