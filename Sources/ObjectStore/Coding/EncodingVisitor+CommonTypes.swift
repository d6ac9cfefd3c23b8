#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Specialised here, as the code of models cannot do it.
extension EncodingVisitor {
  mutating func member(_ name: StaticString, _ value: inout Bool) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout Int) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout Int32) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout Int64) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout Double) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout String) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout Date) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout UUID) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout Bool?) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout Int?) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout Double?) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout String?) throws(StoreError) {
    write(&value)
  }

  mutating func member(_ name: StaticString, _ value: inout Date?) throws(StoreError) {
    write(&value)
  }
}
