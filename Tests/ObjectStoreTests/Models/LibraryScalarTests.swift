import Foundation
import SchemaRegistry
import Testing

@testable import ObjectStore

/// The runtime's name of such a type tells the file.
private struct TopLevel: StorableObject {
  static let primaryKey = "id"
  var id = 0

  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) {
    try visitor.member("id", &id)
  }
}

@Suite("The library's own types are known without asking the runtime")
struct LibraryScalarTests {
  private static let scalars: [any StorableValue.Type] = [
    String.self, Bool.self, Double.self, Float.self, Date.self, UUID.self, Data.self,
    Decimal.self, URL.self, UniqueIdentifier.self, Int.self, Int64.self, Int32.self, Int16.self,
    Int8.self, UInt.self, UInt64.self, UInt32.self, UInt16.self, UInt8.self,
  ]

  @Test("What is passed over has nothing in it that would be checked", arguments: scalars)
  func passedOver(type: any StorableValue.Type) {
    #expect(LibraryScalars.contain(type))
    #expect(!(type is any LinkingValue.Type) && !(type is any HoldingValue.Type))
    #expect(!(type is any EmbeddedObject.Type) && !(type is any RawRepresentable.Type))
    #expect(!type.isOptional && !type.memberType.isOptional && type.heldValueType == nil)
    #expect(LibraryScalars.areHeld(by: type))
    #expect(LibraryScalars.containKey(type) == (type is any StorableKey.Type))
  }

  private enum Mood: String, StorableValue {
    case calm
  }

  private struct Address: EmbeddedObject, Hashable {
    var city = ""

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("city", &city)
    }
  }

  private struct Person: StorableObject {
    static let primaryKey = "id"
    var id = 0

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
    }
  }

  @Test("All others are looked at, and what holds them too")
  func others() {
    let others: [any StorableValue.Type] = [
      Mood.self, Mood?.self, [Mood].self, Set<Mood>.self, [String: Mood].self, Address.self,
      [Address?].self, [String: [Address]].self, Link<Person>.self, Link<Person>?.self,
    ]
    for type in others { #expect(!LibraryScalars.areHeld(by: type), "\(type)") }
  }

  @Test("A type says what it holds as the runtime would")
  func held() {
    let holders: [any StorableValue.Type] = [
      String?.self, Int??.self, [Date].self, Set<UUID>.self, [String: Decimal].self,
      [String: [Int?]]?.self, [Mood].self, Address?.self,
    ]
    for type in holders {
      let told = (type as? any HoldingValue.Type)?.heldType
      #expect(
        told != nil
          && type.heldValueType.map(ObjectIdentifier.init) == told.map(ObjectIdentifier.init))
    }
    #expect(LibraryScalars.areHeld(by: [String: [Int?]]?.self))
  }

  private struct Generic<Value: Sendable>: StorableObject {
    static var primaryKey: String { "id" }
    var id = 0

    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) {
      try visitor.member("id", &id)
    }
  }

  @Test("The name of a type is the one that it prints")
  func names() {
    struct Local: StorableObject {
      static let primaryKey = "id"
      var id = 0

      mutating func visitMembers<Visitor: MemberVisitor>(
        _ visitor: inout Visitor
      ) throws(StoreError) {
        try visitor.member("id", &id)
      }
    }
    let models: [any StorableObject.Type] = [
      Person.self, TopLevel.self, Local.self, Generic<[String: Int]>.self, Generic<Mood?>.self,
    ]
    for model in models { #expect(model.typeName == String(describing: model)) }
    #expect(Person.typeName == "Person" && TopLevel.typeName == "TopLevel")
  }
}
