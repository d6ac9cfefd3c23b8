import Foundation
import SchemaRegistry
import Testing

@Suite("Links between types")
struct LinkTests {
  static let base = Base(0) {
    Type("Note", key: "id") {
      Field("id", .int64)
      Field("author", .optional(.string), linksTo: "Person")
      Field("tags", .list(.int64), linksTo: "Tag")
    }
    Type("Person", key: "email") { Field("email", .string) }
    Type("Tag", key: "id") { Field("id", .int64) }
  }

  static func issues(
    _ base: Base = base, @ChangeBuilder _ changes: () -> [SchemaChange]
  ) -> [HistoryIssue] {
    SchemaHistory(base: base, versions: [Version(number: 1, changes: changes())]).issues
  }

  @Test("R28: a type is not removed while members of others link to it; each is named")
  func removal() {
    let issues = Self.issues {
      RemoveType("Person")
      RemoveType("Tag")
    }
    #expect(issues.map(\.member) == ["Note.author", "Note.tags"])
    #expect(
      issues.map(\.description) == [
        "v1/Person/1 (Note.author): Note.author still links to Person, which version 1 removes. "
          + "Remove Note.author in this version or before, or keep Person.",
        "v1/Tag/1 (Note.tags): Note.tags still links to Tag, which version 1 removes. "
          + "Remove Note.tags in this version or before, or keep Tag.",
      ])
  }

  @Test("R28: a type gets no other key while members link to it by the old one")
  func rekey() {
    let base = Base(0) {
      Type("Person", key: "email") {
        Field("email", .string)
        Field("number", .string)
      }
      Type("Note", key: "id") {
        Field("id", .int64)
        Field("author", .optional(.string), linksTo: "Person")
      }
    }
    func issues(@ChangeBuilder _ changes: () -> [SchemaChange]) -> [String?] {
      Self.issues(base, changes).map(\.member)
    }
    #expect(issues { Rekey("Person", to: "number") } == ["Note.author"])
    #expect(
      issues {
        Rekey("Person", to: "number")
        On("Note") { Remove("author") }
      }.isEmpty)
    #expect(
      issues {
        On("Note") {
          Convert("author", to: .optional(.string)) { (email: String) in "#" + email }
          Add("other", .optional(.string), linksTo: "Person")
        }
        Rekey("Person", to: "number")
      }.isEmpty)
  }

  @Test("R28: what is to be done about a link can be done: barriers stand alone for their types")
  func suggestions() {
    let base = Base(0) {
      Type("P", key: "id") {
        Field("id", .int64)
        Field("number", .int64)
        Field("p", .int64, linksTo: "P")
        Field("q", .optional(.int64), linksTo: "Q")
        Field("best", .optional(.int64), linksTo: "Q")
        Field("inner", .object([MemberShape("q", .int64)]), inside: ["q": .linksTo("Q")])
      }
      Type("Q", key: "id") {
        Field("id", .int64)
        Field("n", .int64)
      }
      Type("R", key: "id") {
        Field("id", .int64)
        Field("q", .int64, linksTo: "Q")
      }
    }
    func suggestions(@ChangeBuilder _ changes: () -> [SchemaChange]) -> [String] {
      Self.issues(base, changes).map(\.suggestion)
    }
    #expect(
      suggestions { Rekey("P", to: "number") } == [
        "Remove P.p or Convert it to the new key, in a version before; or keep the key of P."
      ])
    let embedding = suggestions {
      Embed("Q", into: MemberPlace("P", "q"), policy: .duplicateShared)
    }
    #expect(
      embedding == [
        "Remove P.best in a version before, or keep Q.",
        "Remove P.inner.q in a version before, or keep Q.",
        "Remove R.q in this version or before, or keep Q.",
      ])
    let extracting = suggestions {
      RemoveType("Q")
      On("R") { Remove("q") }
      ExtractType("S", key: "id", from: MemberPlace("P", "inner"))
    }
    #expect(
      extracting == [
        "Remove P.q in a version before, or keep Q.",
        "Remove P.best in a version before, or keep Q.",
        "Remove in a version before what S.q is made of, or keep Q.",
      ])
  }

  @Test("R28: a type is removed with the links to it, in any order, and with its own")
  func removalWithLinks() {
    #expect(
      Self.issues {
        RemoveType("Person")
        On("Note") { Remove("author") }
      }.isEmpty)
    #expect(
      Self.issues {
        RemoveType("Note")
        RemoveType("Person")
        RemoveType("Tag")
      }.isEmpty)
  }

  @Test("R28: a link follows its member and its type through renames, and ends with a conversion")
  func renames() throws {
    let renamed = SchemaHistory {
      Self.base
      Version(1) {
        RenameType("Person", to: "Author")
        On("Note") { Rename("author", to: "writer") }
      }
      Version(2) { On("Note") { Convert("tags", to: .string, ValueExpression.constant("")) } }
      Version(3) { RemoveType("Tag") }
    }
    #expect(renamed.issues == [])
    #expect(
      try renamed.links(at: 3) == [MemberLink(type: "Note", member: "writer", target: "Author")])
    let wrong = SchemaHistory {
      Self.base
      Version(1) { RenameType("Person", to: "Author") }
      Version(2) { RemoveType("Author") }
    }
    #expect(wrong.issues.map(\.member) == ["Note.author"])
  }

  @Test("R28: links are in no fingerprint, in no hash, and stay in squashed histories and files")
  func metadata() throws {
    let plain = SchemaHistory {
      Base(0) {
        Type("Note", key: "id") {
          Field("id", .int64)
          Field("author", .optional(.string))
          Field("tags", .list(.int64))
        }
        Type("Person", key: "email") { Field("email", .string) }
        Type("Tag", key: "id") { Field("id", .int64) }
      }
      Version(1) { On("Person") { Add("best", .optional(.string)) } }
    }
    let linked = SchemaHistory {
      Self.base
      Version(1) { On("Person") { Add("best", .optional(.string), linksTo: "Person") } }
    }
    #expect(try plain.fingerprint(at: 1) == linked.fingerprint(at: 1))
    #expect(try plain.shape(at: 1).fingerprint == linked.shape(at: 1).fingerprint)
    #expect(linked.comparison(with: plain.ledger(through: 1)) == LedgerComparison())
    let links = try linked.links(at: 1)
    #expect(links.map(\.target) == ["Person", "Tag", "Person"])
    #expect(try linked.squashed(floor: 1).links(at: 1) == links)
    let file = try JSONEncoder().encode(HistoryDocument(linked))
    let read = try JSONDecoder().decode(HistoryDocument.self, from: file).history
    #expect(try read.links(at: 1) == links)
  }
}
