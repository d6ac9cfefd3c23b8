public import SchemaRegistry

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Values that are stored in the order that Swift gives them, so that ranges of them are looked up.
///
/// Integers but `UInt64` and `UInt`, floating-point numbers, dates, texts and UUIDs. Texts are
/// ordered by their UTF-8 bytes, which is Swift's order for texts in normal form C, with composed
/// accents; of others, ranges select what lies between the bytes of their bounds. Decimal numbers
/// and unsigned integers of 64 bits are not stored in their order; filter a walk for ranges of
/// those. An enumeration with raw values may conform, if it compares as its raw values do, and
/// these are of a type that conforms.
public protocol OrderedStorableValue: StorableValue {
  /// The largest value that a range without an upper bound contains, where there are larger ones in
  /// the order of storage; nothing for most.
  static var rangeMaximum: Value? { get }
}

extension OrderedStorableValue {
  public static var rangeMaximum: Value? { nil }
}

/// What is not a number is in no range of a type with such raw values either.
extension OrderedStorableValue where Self: RawRepresentable, RawValue: OrderedStorableValue {
  public static var rangeMaximum: Value? { RawValue.rangeMaximum }
}

extension Int: OrderedStorableValue {}
extension Int64: OrderedStorableValue {}
extension Int32: OrderedStorableValue {}
extension String: OrderedStorableValue {}
extension UniqueIdentifier: OrderedStorableValue {}
extension UUID: OrderedStorableValue {}

extension Float: OrderedStorableValue {
  /// What is not a number is stored above the rest, and in no range.
  public static var rangeMaximum: Value? { .float(.infinity) }
}

extension Double: OrderedStorableValue {
  /// What is not a number is stored above the rest, and in no range.
  public static var rangeMaximum: Value? { .double(.infinity) }
}

extension Date: OrderedStorableValue {
  /// What is no date is stored above the rest, and in no range. (Ranges of Swift call it contained,
  /// whatever their bounds are.)
  public static var rangeMaximum: Value? { .date(.infinity) }
}
