/// How many names an inference keeps, and how long they are, those of all objects within others
/// together.
struct InferredNames {
  let countMaximum: Int
  let byteCountMaximum: Int
  private(set) var count = 0
  /// Bytes of their UTF-8 forms.
  private(set) var byteCount = 0

  init(countMaximum: Int, byteCountMaximum: Int) {
    self.countMaximum = countMaximum
    self.byteCountMaximum = byteCountMaximum
  }

  /// Counts a name that is kept from now on.
  mutating func add(_ name: String, line: Int) throws(ImportError) {
    guard count < countMaximum else { throw .tooManyNames(line: line, limit: countMaximum) }
    guard name.utf8.count <= byteCountMaximum - byteCount else {
      throw .tooLongNames(line: line, limit: byteCountMaximum)
    }
    count += 1
    byteCount += name.utf8.count
  }

  /// Counts names no more that were forgotten.
  mutating func remove(_ names: [String]) {
    count -= names.count
    byteCount -= names.reduce(0) { $0 + $1.utf8.count }
  }
}
