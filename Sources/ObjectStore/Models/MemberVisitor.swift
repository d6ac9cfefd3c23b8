public import SchemaRegistry

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What is shown each member of an object: to describe, to encode or to decode it.
///
/// Besides the form for every type there is one for each common type. It is the same to whoever
/// calls or implements it, and spares visitors that are in a hurry what generic code costs across
/// modules: looking up what the type is, at every visit.
public protocol MemberVisitor {
  /// Called for one member; a decoding visitor replaces `value`.
  mutating func member<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Bool) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Int) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Int32) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Int64) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Double) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout String) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Date) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout UUID) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Bool?) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Int?) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Double?) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout String?) throws(StoreError)
  /// The same for a member of this type.
  mutating func member(_ name: StaticString, _ value: inout Date?) throws(StoreError)
  /// Called once with all members of an object that has no visitor of its own; a decoding visitor
  /// replaces the values.
  mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError)
}

extension MemberVisitor {
  /// For visitors of objects that name their members one by one.
  public mutating func members(
    _ types: [(name: String, type: FieldType)], _ values: inout [String: Value]
  ) throws(StoreError) {
    fatalError("this visitor must be shown members one by one")
  }
}
