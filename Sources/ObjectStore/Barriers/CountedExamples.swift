/// All that were met are counted, the first of them are named: what an error says of many objects.
struct CountedExamples {
  private static let countMaximum = 10

  private(set) var count = 0
  private(set) var examples: [String] = []

  mutating func note(_ example: @autoclosure () -> String) {
    count += 1
    if examples.count < Self.countMaximum { examples.append(example()) }
  }
}
