internal import BinaryCoding
internal import Foundation

/// The types of values that are the library's own and hold nothing else, so that nothing has to be
/// asked of them.
///
/// Asking whether a type conforms to a protocol makes the runtime go through the conformances of
/// all images, 40 µs for each type and protocol that it has not met before; most of what opening a
/// store for the first time took went there (decision 66).
enum LibraryScalars {
  private static let keys: [ObjectIdentifier] = [
    ObjectIdentifier(String.self), ObjectIdentifier(Int.self), ObjectIdentifier(UUID.self),
    ObjectIdentifier(Data.self), ObjectIdentifier(UniqueIdentifier.self),
    ObjectIdentifier(Int64.self), ObjectIdentifier(Int32.self), ObjectIdentifier(Int16.self),
    ObjectIdentifier(Int8.self), ObjectIdentifier(UInt32.self), ObjectIdentifier(UInt16.self),
    ObjectIdentifier(UInt8.self),
  ]
  private static let others: [ObjectIdentifier] = [
    ObjectIdentifier(Bool.self), ObjectIdentifier(Double.self), ObjectIdentifier(Date.self),
    ObjectIdentifier(Decimal.self), ObjectIdentifier(URL.self), ObjectIdentifier(Float.self),
    ObjectIdentifier(UInt.self), ObjectIdentifier(UInt64.self),
  ]

  static func contain(_ type: Any.Type) -> Bool {
    containKey(type) || others.contains(ObjectIdentifier(type))
  }

  /// Whether `type` is one of these, and a ``StorableKey``.
  static func containKey(_ type: Any.Type) -> Bool { keys.contains(ObjectIdentifier(type)) }

  /// Whether `type` is one of these, or optionals, lists, sets or dictionaries of one.
  static func areHeld(by type: any StorableValue.Type) -> Bool {
    var held = type
    while let next = held.heldValueType { held = next }
    return contain(held)
  }
}
