// says: this type cannot be that of a member
import ObjectStore

protocol Figure: EmbeddedObject {}

struct Circle: Figure {
  var radius = 3
  mutating func visitMembers<Visitor: MemberVisitor>(
    _ visitor: inout Visitor
  ) throws(StoreError) { try visitor.member("radius", &radius) }
}

@Model struct Drawing {
  @PrimaryKey var id = 0
  var figure: any Figure = Circle()
}
