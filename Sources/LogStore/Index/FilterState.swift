internal import Synchronization

/// What is known of a footer's filter.
enum FilterState: UInt8, AtomicRepresentable {
  /// It was not checked.
  case unknown
  case good
  case damaged
}
