/// Halving without branches: which half is next depends on keys nobody can foresee, so a processor
/// that guesses it is wrong every other time.
enum BranchlessSearch {
  /// The last of `count` positions for which `holds` is true, which it is for the first and no
  /// longer from some position on; 0 where it is never true, or there is none.
  @inline(__always)
  static func last(of count: Int, where holds: (Int) -> Bool) -> Int {
    var position = 0
    var left = count
    while left > 1 {
      let half = left >> 1
      position = holds(position + half) ? position + half : position
      left -= half
    }
    return position
  }
}
