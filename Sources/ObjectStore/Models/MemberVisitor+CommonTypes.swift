#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// For visitors that treat all types alike.
extension MemberVisitor {
  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Bool) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Int) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Int32) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Int64) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Double) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout String) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Date) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout UUID) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Bool?) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Int?) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Double?) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout String?) throws(StoreError) {
    try generic(name, &value)
  }

  /// The same as for any type.
  public mutating func member(_ name: StaticString, _ value: inout Date?) throws(StoreError) {
    try generic(name, &value)
  }

  /// Where the type is not known, the form for every type is the only one.
  private mutating func generic<Member: StorableValue>(
    _ name: StaticString, _ value: inout Member
  ) throws(StoreError) {
    try member(name, &value)
  }
}
