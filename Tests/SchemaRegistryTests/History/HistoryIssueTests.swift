import SchemaRegistry
import Testing

/// Everything that is found in a history without data, each with operation, member and remedy.
@Suite("History issues")
struct HistoryIssueTests {
  private func issues(
    @OperationBuilder _ operations: () -> [RecordOperation]
  ) -> [HistoryIssue] {
    SchemaHistory(
      base: Base(3) {
        Type("Person", key: "id") {
          Field("id", .int64)
          Field("first", .string)
          Field("last", .string)
          Field("age", .optional(.int32))
        }
      },
      versions: [
        Version(number: 4, changes: [.records(type: "Person", operations: operations())])
      ]
    ).issues
  }

  private func expect(
    _ issues: [HistoryIssue], _ operationID: String, _ member: String?, _ words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard issues.count == 1, let issue = issues.first else {
      Issue.record("one issue expected: \(issues)", sourceLocation: sourceLocation)
      return
    }
    #expect(issue.operationID == operationID, sourceLocation: sourceLocation)
    #expect(issue.member == member, sourceLocation: sourceLocation)
    for word in words {
      #expect(issue.problem.contains(word), "\(issue)", sourceLocation: sourceLocation)
    }
    #expect(!issue.suggestion.isEmpty, sourceLocation: sourceLocation)
  }

  @Test("Unknown members, with the members that exist")
  func unknownMember() {
    let found = issues { Remove("nmae") }
    expect(found, "v4/Person/1", "Person.nmae", "does not exist before version 4")
    #expect(found.first?.suggestion.contains("id, first, last, age") == true)
    expect(issues { Require("x", fill: 0) }, "v4/Person/1", "Person.x", "does not exist")
    expect(issues { MakeOptional("x") }, "v4/Person/1", "Person.x", "does not exist")
    expect(issues { Widen("x", to: .int64) }, "v4/Person/1", "Person.x", "does not exist")
    expect(
      issues { Derive("y", .string, .member("x")) }, "v4/Person/1", "Person.x", "does not exist")
  }

  @Test("A name that is taken")
  func nameTaken() {
    expect(
      issues { Add("age", .optional(.bool)) }, "v4/Person/1", "Person.age", "exists already")
    expect(
      issues { Derive("first", .string, .member("last")) }, "v4/Person/1", "Person.first",
      "exists already")
  }

  @Test("A required addition without a default, and a default of another type (R22)")
  func defaults() {
    expect(
      issues { Add("email", .string) }, "v4/Person/1", "Person.email", "required",
      "no default")
    expect(
      issues { Add("email", .string, default: 5) }, "v4/Person/1", "Person.email",
      "not a string")
    expect(
      issues { Require("age", fill: .null) }, "v4/Person/1", "Person.age", "not a int32")
    #expect(
      issues {
        Add("email", .string)
        Rewrite { _, new in
          new["email"] = ""
          return .keep
        }
      } == [])
  }

  @Test("Closures whose parameters or result do not fit their members (R25)")
  func closureTypes() {
    expect(
      issues { Derive("full", from: "first", "age") { (a: String, b: String) in a + b } },
      "v4/Person/1", "Person.age", "takes string", "int32?")
    expect(
      issues { Derive("next", from: "age") { (age: Int) in age + 1 } }, "v4/Person/1",
      "Person.age", "takes int64", "int32?")
    expect(
      issues { Derive("full", from: "first") { (a: String, b: String) in a + b } },
      "v4/Person/1", "Person.full", "2 parameters for 1 members")
    expect(
      issues { Convert("first", to: .int64) { (text: String) in text } }, "v4/Person/1",
      "Person.first", "is string, but int64 is needed")
    expect(
      issues { Convert("first", to: .int64) { (text: String) in Int(text) } }, "v4/Person/1",
      "Person.first", "may be nil")
    expect(
      issues { Convert("age", to: .int64) { (age: Int) in age } }, "v4/Person/1",
      "Person.age", "takes int64", "int32?")
    expect(
      issues { Derive("any", from: "first") { (value: Value) in value } }, "v4/Person/1",
      "Person.any", "cannot be told")
    #expect(
      issues { Convert("age", to: .optional(.string)) { (age: Int) in String(age) } } == [])
  }

  @Test("Expressions whose types do not fit")
  func expressionTypes() {
    let first = ValueExpression.member("first")
    let wrong: [(FieldType, ValueExpression, String)] = [
      (.int64, first, "is string, but int64 is needed"),
      (.string, .member("age").toString, "may be nil"),
      (.string, .member("age").trimmed, "needs text"),
      (.string, first.textBefore(""), "empty separator"),
      (.string, first.orElse(5), "different types"),
      (.string, .join([.member("age")], separator: ""), "needs text"),
      (.optional(.string), .toString(.constant(.date(0))), "no text form"),
    ]
    for (type, expression, word) in wrong {
      let found = issues { Derive("new", type, expression) }
      #expect(found.count == 1 && found[0].problem.contains(word), "\(found)")
    }
    #expect(
      issues {
        Derive("new", .string, ValueExpression.member("age").toString.orElse("none"))
      } == [])
  }

  @Test("Operations must not touch the key, but may rename it (H4)")
  func key() {
    let found = issues {
      Remove("id")
      Widen("id", to: .optional(.int64))
      Convert("id", to: .string) { (id: Int) in String(id) }
      MakeOptional("id")
      Rename("id", to: "x", as: .optional(.int64))
    }
    #expect(found.map(\.operationID) == (1...5).map { "v4/Person/\($0)" })
    #expect(found.allSatisfy { $0.problem.contains("primary key") })
    #expect(issues { Rename("id", to: "number") } == [])
  }

  @Test("Reading what a later operation creates, or an earlier one took away")
  func orderTraps() {
    expect(
      issues {
        Derive("greeting", .string, .member("name"))
        Derive("name", .string, .member("first"))
      }, "v4/Person/1", "Person.name", "only by a later operation")
    expect(
      issues {
        Remove("first")
        Derive("name", .string, .member("first"))
      }, "v4/Person/2", "Person.first", "removed or renamed by an earlier operation")
    expect(
      issues {
        Rewrite { _, _ in .keep }
        Remove("first")
      }, "v4/Person/2", "Person.first", "after the Rewrite")
  }

  @Test("A member cannot come twice in one version")
  func twice() {
    expect(
      issues {
        Add("x", .optional(.bool))
        Remove("x")
        Add("x", .optional(.bool))
      }, "v4/Person/3", "Person.x", "introduced twice")
    #expect(
      issues {
        Remove("first")
        Add("first", .optional(.bool))
      } == [])
  }

  @Test("A widening that loses something (R25)")
  func widening() {
    let wrong: [(String, FieldType)] = [
      ("first", .int64), ("age", .int64), ("age", .list(.int32)), ("first", .string),
    ]
    for (member, type) in wrong {
      expect(
        issues { Widen(member, to: type) }, "v4/Person/1", "Person.\(member)",
        "cannot be widened")
    }
  }

  @Test("Renames: every rule of R24 names both members and the type")
  func renames() {
    expect(issues { Rename("nick", to: "x") }, "v4/Person/1", "Person.nick", "does not exist")
    expect(
      issues {
        Rename("first", to: "x")
        Remove("x")
      }, "v4/Person/1", "Person.x", "Person.first and Person.x", "renamed and then removed")
    expect(
      issues {
        Rename("first", to: "x")
        Add("first", .optional(.string))
      }, "v4/Person/1", "Person.first", "Person.first and Person.x", "still present")
    expect(
      issues { Rename("first", to: "last") }, "v4/Person/1", "Person.last", "Person.first",
      "Person.last exists already")
    expect(
      issues { Rename("first", to: "x", as: .int64) }, "v4/Person/1", "Person.first",
      "Person.first and Person.x have different types", "string and int64")
    expect(
      issues { Rename("age", to: "x", as: .int32) }, "v4/Person/1", "Person.age",
      "Person.age is optional and Person.x is required")
    expect(
      issues { Rename("age", to: "x", as: .int32, fill: "") }, "v4/Person/1", "Person.age",
      "fill")
    expect(issues { Rename("age", to: "age") }, "v4/Person/1", "Person.age", "the same")
    expect(
      issues {
        Rename("first", to: "last")
        Add("x", .optional(.bool))
        Rename("last", to: "first")
      }.filter { $0.operationID == "v4/Person/1" }, "v4/Person/1", "Person.last",
      "exists already")
  }

  @Test("Types: unknown, taken, invalid, added twice (R27)")
  func types() {
    let history = SchemaHistory {
      Base(0) {
        Type("A", key: "id") { Field("id", .int64) }
        Type("B", key: "id") { Field("id", .int64) }
      }
      Version(1) {
        RenameType("X", to: "Y")
        RenameType("A", to: "B")
        RemoveType("X")
        AddType("A", key: "id") { Field("id", .int64) }
        AddType("C", key: "no") { Field("id", .int64) }
        AddType("D", key: "id") { Field("id", .double) }
        On("E") { Remove("x") }
        RemoveType("B")
        Type("F", key: "id") { Field("id", .int64) }
        On("F") { Add("x", .optional(.bool)) }
      }
    }
    #expect(
      history.issues.map(\.operationID) == [
        "v1/X/1", "v1/A/1", "v1/X/2", "v1/A/2", "v1/C/1", "v1/D/1", "v1/E", "v1/F/2",
      ])
  }

  @Test("Gaps, repetitions, the reserved version and a missing base")
  func versions() {
    func problems(@HistoryBuilder _ parts: () -> [HistoryPart]) -> [String] {
      SchemaHistory(parts).issues.map(\.operationID)
    }
    let gap = SchemaHistory {
      Base(0) {}
      Version(2) {}
    }
    #expect(gap.issues.first?.problem.contains("gap between version 0 and version 2") == true)
    #expect(
      problems {
        Base(5) {}
        Version(6) {}
        Version(6) {}
        Version(4) {}
      } == ["v6", "v4"])
    #expect(problems { Base(.reserved) {} } == ["base"])
    #expect(
      problems {
        Base(0) {}
        Version(.reserved) {}
      }.count == 1)
    #expect(problems { Version(1) {} } == ["base"])
    #expect(
      SchemaHistory(base: Base(0) {}, versions: [Version(7) {}], allowsGaps: true).issues == [])
  }

  @Test("One error holds every issue, as sentences")
  func report() {
    let history = SchemaHistory {
      Base(0) { Type("Person", key: "id") { Field("id", .int64) } }
      Version(1) {
        On("Person") {
          Remove("a")
          Add("b", .string)
        }
      }
    }
    #expect(throws: SchemaError.invalidHistory(history.issues)) { try history.validate() }
    let text = SchemaError.invalidHistory(history.issues).description
    #expect(text.contains("2 issues") && text.contains("v1/Person/1") && text.contains("Person.b"))
    #expect(throws: SchemaError.self) { try history.shape(at: 0) }
  }
}
