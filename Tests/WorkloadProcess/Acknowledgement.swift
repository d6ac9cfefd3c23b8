/// One line of what a writer promised, in the order in which it promised.
///
/// A commit's sequence is that of its first record.
enum Acknowledgement: Equatable {
  /// The commit survives the loss of power, and so does every commit of a lower sequence.
  case durable(writer: Int, number: Int, sequence: UInt64)
  /// The commit is visible; it survives when a commit of a higher sequence does.
  case visible(writer: Int, number: Int, sequence: UInt64)
  /// Everything acknowledged before is durable: the log was synchronized or closed.
  case allDurable
  /// A check found so many commits of each writer; what is not among them is gone for good.
  case recovered([Int])

  var line: String {
    switch self {
    case .durable(let writer, let number, let sequence): "durable \(writer) \(number) \(sequence)\n"
    case .visible(let writer, let number, let sequence): "visible \(writer) \(number) \(sequence)\n"
    case .allDurable: "all durable\n"
    case .recovered(let progress):
      "recovered " + progress.map(String.init).joined(separator: " ") + "\n"
    }
  }

  /// Nothing when the line is none; its end is not part of it.
  init?(_ line: some StringProtocol) {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst().compactMap { UInt64($0) }
    switch (words.first, numbers.count) {
    case ("durable", 3):
      self = .durable(
        writer: Int(numbers[0]), number: Int(numbers[1]), sequence: numbers[2])
    case ("visible", 3):
      self = .visible(
        writer: Int(numbers[0]), number: Int(numbers[1]), sequence: numbers[2])
    case ("recovered", PlannedCommit.writerCount): self = .recovered(numbers.map { Int($0) })
    case ("all", 0): self = .allDurable
    default: return nil
    }
  }

  /// All whole lines of `text`; the last may have been cut short.
  static func all(in text: String) -> [Acknowledgement]? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let acknowledgements = lines.compactMap { Acknowledgement($0) }
    return acknowledgements.count == lines.count ? acknowledgements : nil
  }
}
