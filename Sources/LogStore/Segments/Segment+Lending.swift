internal import BinaryCoding

extension Unmanaged<Segment> {
  /// The verified record at the place an index gives, valid as long as the segment; nothing where
  /// it is to be read from the file.
  ///
  /// For who keeps the segment and reads record after record: no reference is counted, which
  /// threads would fight for.
  func lentRecord(
    at value: IndexValue, key: IndexKey
  ) throws(LogError) -> RecordDecoder.Decoded? {
    let result = _withUnsafeGuaranteedRef { segment in
      Result { () throws(LogError) in try segment.lentRecord(at: value, key: key) }
    }
    return try result.get()
  }
}

extension Segment {
  fileprivate func lentRecord(
    at value: IndexValue, key: IndexKey
  ) throws(LogError) -> RecordDecoder.Decoded? {
    try check(value)
    guard dataEnd != nil, let bytes = mappedBytes(at: value) else { return nil }
    return try decode(bytes, value, key)
  }
}
