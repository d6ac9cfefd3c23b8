#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Specialised here for models whose code is not seen where they are written.
extension EncodingVisitor {
  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Bool) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Int) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Int32) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Int64) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Double) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout String) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Date) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout UUID) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Bool?) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Int?) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Double?) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout String?) throws(StoreError) {
    write(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Date?) throws(StoreError) {
    write(&value)
  }
}
