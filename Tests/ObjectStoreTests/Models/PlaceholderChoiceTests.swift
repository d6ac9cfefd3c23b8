import ObjectStore
import Testing

@Suite("What a member begins with whose type says it in several ways")
struct PlaceholderChoiceTests {
  enum Mood: String, StorableValue, CaseIterable, PlaceholderValue {
    case calm, cross
    static let placeholder = Mood.cross
  }

  struct Size: EmbeddedObject, CaseIterable {
    static let allCases = [Size(width: 1)]
    var width = 3
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("width", &width) }
  }

  struct Place: EmbeddedObject, PlaceholderValue {
    static let placeholder = Place(row: 7)
    var row = 3
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("row", &row) }
  }

  struct Seat: EmbeddedObject, PlaceholderValue, CaseIterable {
    static let placeholder = Seat(number: 7)
    static let allCases = [Seat(number: 1)]
    var number = 3
    mutating func visitMembers<Visitor: MemberVisitor>(
      _ visitor: inout Visitor
    ) throws(StoreError) { try visitor.member("number", &number) }
  }

  @Test("It is the placeholder of the type, else a new object, and not the first of those listed")
  func choice() {
    let mood: Mood = Placeholder.value()
    let size: Size = Placeholder.value()
    let place: Place = Placeholder.value()
    let seat: Seat = Placeholder.value()
    #expect(mood == .cross)
    #expect(size.width == 3)
    #expect(place.row == 7)
    #expect(seat.number == 7)
  }
}
