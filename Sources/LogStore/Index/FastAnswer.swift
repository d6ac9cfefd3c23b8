/// What an index says when nothing stands in the way: no reference is counted for it, and no error
/// has to be carried.
enum FastAnswer {
  case absent
  case found(IndexValue)
  /// Ask again the slow way: the index is not open yet, not in memory, or damaged.
  case unknown
}
