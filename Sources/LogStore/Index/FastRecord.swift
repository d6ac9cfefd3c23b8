/// What a look-up of a record gives when nothing stands in the way: no reference is counted for it,
/// and no error has to be carried.
@usableFromInline
enum FastRecord {
  /// There is none, or it was deleted.
  case absent
  /// It lies in memory, and is verified.
  case found(VerifiedRecord)
  /// Ask again the slow way: something is not open yet, not in memory, or damaged.
  case unknown
}
