/// How many names an inference keeps, those of all objects within others together.
struct InferredNames {
  let countMaximum: Int
  private(set) var count = 0

  init(countMaximum: Int) { self.countMaximum = countMaximum }

  /// Counts a name that is kept from now on.
  mutating func add(line: Int) throws(ImportError) {
    guard count < countMaximum else { throw .tooManyNames(line: line, limit: countMaximum) }
    count += 1
  }

  /// Counts names no more that were forgotten.
  mutating func remove(_ forgottenCount: Int) { count -= forgottenCount }
}
