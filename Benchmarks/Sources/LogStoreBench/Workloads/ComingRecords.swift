/// Brings what is written soon into the processor's cache, as an application's records are in it
/// that were just made: the harness adds no cache misses of its own.
struct ComingRecords: Sendable {
  private let generations: Generations
  private let numbers: [UInt32]
  /// From one record to the next of the same thread.
  private let step: Int

  /// How many records each of three steps is ahead of the next one, and the last of the writing.
  private static let distance = 8

  init(_ generations: Generations, _ numbers: [UInt32], step: Int = 1) {
    self.generations = generations
    self.numbers = numbers
    self.step = step
  }

  /// Called before the record at `index` is written.
  func ask(at index: Int) {
    if let number = number(index, 3) { generations.askForCount(of: number) }
    if let number = number(index, 2) { generations.askForPlace(of: number) }
    if let number = number(index, 1) { generations.askForBytes(of: number) }
  }

  private func number(_ index: Int, _ steps: Int) -> Int? {
    let ahead = index + steps * Self.distance * step
    return ahead < numbers.count ? Int(numbers[ahead]) : nil
  }
}
