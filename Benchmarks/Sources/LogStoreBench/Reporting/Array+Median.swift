extension [Double] {
  /// The one in the middle, or the mean of the two there; of at least one value.
  var median: Double {
    precondition(!isEmpty, "there must be values to have a median")
    let ordered = sorted()
    return (ordered[(count - 1) / 2] + ordered[count / 2]) / 2
  }
}
