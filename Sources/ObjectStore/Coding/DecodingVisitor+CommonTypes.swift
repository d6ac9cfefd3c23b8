#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Specialised here for models whose code is not seen where they are read.
extension DecodingVisitor {
  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Bool) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Int) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Int32) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Int64) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Double) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout String) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Date) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout UUID) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Bool?) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Int?) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Double?) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout String?) throws(StoreError) {
    read(&value)
  }

  @inlinable
  mutating func member(_ name: StaticString, _ value: inout Date?) throws(StoreError) {
    read(&value)
  }
}
