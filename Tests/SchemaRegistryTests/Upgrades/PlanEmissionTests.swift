import Testing

@testable import SchemaRegistry

/// What plans write where nothing is computed.
@Suite("Members that plans write")
struct PlanEmissionTests {
  @Test("Nil for a member that is required is an error when the plan is made, not a short record")
  func requiredNil() throws {
    func emissions(_ type: FieldType) throws(SchemaError) -> [PlanEmission] {
      let target = try TypeShape(
        name: "T", identity: TypeIdentity(introducedIn: 0, originalName: "T"), keyMember: "id",
        members: [MemberShape("id", .int64), MemberShape("size", type)])
      let segment = PlanSegment(
        steps: [.source(0), .constant(.null)], drops: [], members: [0, 1])
      return try PlanEmission.all(of: [segment], source: target, target: target)
    }
    #expect(try emissions(.optional(.int64)).count == 1)
    let error = #expect(throws: SchemaError.self) { try emissions(.int64) }
    #expect(error?.description.contains("T.size") == true)
  }
}
