extension Array {
  /// How many elements at the beginning `belongs` is true of, found by halving: it must be false of
  /// all elements behind the first of which it is false.
  ///
  /// Costs as many calls as the count has bits.
  @inlinable
  public func countOfPrefix(where belongs: (Element) -> Bool) -> Int {
    var range = startIndex..<endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if belongs(self[middle]) {
        range = (middle + 1)..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }
}

extension Array where Element: Comparable {
  /// Whether it has `element`, found by halving: the elements must ascend.
  @inlinable
  public func hasInOrder(_ element: Element) -> Bool {
    let position = countOfPrefix { $0 < element }
    return position < count && self[position] == element
  }
}
