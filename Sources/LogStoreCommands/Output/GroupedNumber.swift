/// A number with a comma between groups of three digits.
struct GroupedNumber: Equatable, Sendable, CustomStringConvertible {
  var value: UInt64

  init(_ value: UInt64) {
    self.value = value
  }

  var description: String {
    var result = ""
    let digits = "\(value)"
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
      result.append(digit)
    }
    return result
  }
}
