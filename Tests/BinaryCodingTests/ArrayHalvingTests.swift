import Testing

@testable import BinaryCoding

@Suite struct ArrayHalvingTests {
  @Test("The prefix is counted in every small array, however long it is")
  func countsEveryPrefix() {
    for count in 0...20 {
      let numbers = Array(0..<count)
      for limit in 0...(count + 1) {
        #expect(numbers.countOfPrefix { $0 < limit } == min(limit, count))
      }
    }
  }
}
