internal import ArgumentParser

/// A number of bytes as people write it: `4096`, `64K`, `20M`, `1.5G`, `2GiB`.
struct ByteSize: ExpressibleByArgument, Equatable, Sendable {
  let byteCount: UInt64

  init?(argument: String) {
    var text = argument.uppercased()
    for ending in ["IB", "B"] where text.hasSuffix(ending) {
      text.removeLast(ending.count)
      break
    }
    var factor = 1.0
    if let place = text.last.flatMap({ "KMGT".firstIndex(of: $0) }) {
      let power = "KMGT".distance(from: "KMGT".startIndex, to: place) + 1
      for _ in 0..<power { factor *= 1024 }
      text.removeLast()
    }
    // Not what else is a number to a parser: hexadecimal digits, exponents.
    guard text.allSatisfy({ "0123456789.".contains($0) }), let value = Double(text),
      value.isFinite,
      let byteCount = UInt64(exactly: (value * factor).rounded())
    else { return nil }
    self.byteCount = byteCount
  }
}
