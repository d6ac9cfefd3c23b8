/// A number of bytes as people read it: `0 B`, `999 B`, `1.5 KiB`, `20.0 GiB`.
struct ByteCount: Equatable, Sendable, CustomStringConvertible {
  var value: UInt64

  init(_ value: UInt64) {
    self.value = value
  }

  var description: String {
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    guard value >= 1024 else { return "\(value) B" }
    // Tenths of a unit, rounded half up; the division keeps two guard bits, so nothing overflows.
    var unit = 0
    var whole = value
    var rest: UInt64 = 0
    while whole >= 1024, unit < units.count {
      rest = whole % 1024
      whole /= 1024
      unit += 1
    }
    var tenths = whole * 10 + (rest * 10 + 512) / 1024
    if tenths >= 10240, unit < units.count {
      tenths = 10
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(units[unit - 1])"
  }
}
