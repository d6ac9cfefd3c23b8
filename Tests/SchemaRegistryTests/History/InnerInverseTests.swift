import SchemaRegistry
import Testing

/// Ways back of single members of embedded objects, put together.
@Suite("Ways back inside of embedded objects, one after the other")
struct InnerInverseTests {
  @Test("A way back that reads another member is not joined with one of the member's own cases")
  func otherMember() throws {
    let home = FieldType.object([MemberShape("kind", .string), MemberShape("other", .string)])
    let inverse = ValueExpression.mapped(
      .member("other"), [CaseMapping(from: "o", to: "was")], otherwise: .member("other"))
    let history = SchemaHistory {
      Base(0) {
        Type("T", key: "id") {
          Field("id", .int64)
          Field("home", home)
        }
      }
      Version(1) {
        On("T") {
          On("home") {
            Convert(
              "kind", to: .string, cases: ["a", "b"], .constant("a"), inverse: inverse)
            RenameCase("kind", "a", to: "c")
          }
        }
      }
    }
    #expect(history.issues == [])
    let type = TypeIdentity(introducedIn: 0, originalName: "T")
    let known = try #require(try history.shape(at: 0).type(type))
    let stored = try #require(try history.shape(at: 1).type(type))
    let projection = try Projection(
      known: known, stored: stored, version: 1,
      inverses: history.inverses(of: type, after: 0, through: 1))
    let payload = try RecordPayload.encode(
      [1, .object(["kind": "c", "other": "o"])], shape: stored)
    let read = try RecordPayload.decode(
      try projection.read(payload, key: 1), key: 1, shape: known)
    #expect(read == [1, .object(["kind": "was", "other": "o"])])
  }
}
