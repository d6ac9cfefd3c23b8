import ModelMacroSources
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import Testing

@Suite("Wrong models are reported at the right line, with an edit where there is an obvious one")
struct ModelDiagnosticTests {
  struct Report: Equatable {
    let line: Int
    let message: String
    var fix: String?
  }

  /// Expands every macro in `text` and returns what was reported.
  static func reports(_ text: String) -> [Report] {
    expand(text).reports
  }

  static func expand(_ text: String) -> (text: String, reports: [Report]) {
    let file = Parser.parse(source: text)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "App", fullFilePath: "App.swift")])
    let macros: [String: any Macro.Type] = [
      "Model": ModelMacro.self, "PrimaryKey": MemberMarker.self, "Indexed": MemberMarker.self,
      "Unique": MemberMarker.self, "Transient": MemberMarker.self, "Renamed": MemberMarker.self,
    ]
    let expanded = file.expand(macros: macros) { node in
      BasicMacroExpansionContext(sharingWith: context, lexicalContext: [])
    }
    let reports = context.diagnostics.map { diagnostic in
      Report(
        line: context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "")
          .line,
        message: diagnostic.message,
        fix: diagnostic.fixIts.first.map { fixIt in fixIt.message.message })
    }
    return (expanded.description, reports)
  }

  @Test(
    "Each mistake is told where it is",
    arguments: [
      (
        "@Model class A {\n  @PrimaryKey var id = 0\n}", 1,
        "a class with @Model must be final", "insert 'final'"
      ),
      ("@Model enum A { case b }", 1, "@Model belongs to a struct or a final class", nil),
      (
        "@Model struct A {\n  @PrimaryKey let id: Int\n}", 2,
        "a member of a model is set when an object is read, so it must be a 'var'",
        "change 'let' to 'var'"
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @PrimaryKey var b = 0\n}", 3,
        "a model has one @PrimaryKey", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Indexed var b: [Int] = []\n}", 3,
        "'b' cannot be looked up by value: an index needs a number, a text, bytes, a date, a bool "
          + "or a UUID", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Transient var b: Int\n}", 3,
        "the transient member 'b' needs an initial value, as it is not read from the store", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey @Indexed var a = 0\n}", 2,
        "the primary key is unique, stored and looked up anyway; take the other attribute away", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  lazy var b = 1\n}", 3,
        "a lazy member cannot be stored; mark it @Transient", nil
      ),
      (
        "@Model final class A {\n  var a = 0\n}", 1,
        "a class is an object of its own, so one member must be marked @PrimaryKey", nil
      ),
      (
        "@Model struct A {\n  @Indexed var a = 0\n}", 1,
        "a model without @PrimaryKey is embedded in others and has no index of its own", nil
      ),
      (
        "struct A {\n  @Indexed func a() {}\n}", 2, "@Indexed belongs to a stored member", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Renamed(from: \"a\") var b = 0\n}", 1,
        "'b' cannot have been called 'a': there is a member of that name", nil
      ),
    ] as [(String, Int, String, String?)])
  func mistakes(text: String, line: Int, message: String, fix: String?) {
    #expect(Self.reports(text) == [Report(line: line, message: message, fix: fix)])
  }

  @Test("Two mistakes are told at once")
  func several() {
    let reports = Self.reports(
      "@Model struct A {\n  @PrimaryKey let id: Int\n  lazy var b = 1\n}")
    #expect(reports.map(\.line) == [2, 3])
  }

  @Test("The expansion is what a person would write by hand")
  func expansion() {
    let result = Self.expand(
      "@Model struct A {\n  @PrimaryKey var id: Int\n  @Indexed var b = 0\n}")
    #expect(result.reports.isEmpty)
    let lines = result.text.split(separator: "\n").map { $0.trimmingPrefix(while: { $0 == " " }) }
    #expect(
      lines.map(String.init) == [
        "struct A {", "var id: Int", "var b = 0", "}",
        "extension A: ObjectStore.StorableObject {",
        "static var primaryKey: String {", "\"id\"", "}",
        "static var indexes: [ObjectStore.IndexDeclaration] {", "[.init(\"b\")]", "}",
        "init() {", "self.`id` = ObjectStore.Placeholder.value()", "}",
        "mutating func visitMembers<ModelVisitor: ObjectStore.MemberVisitor>(",
        "_ visitor: inout ModelVisitor", ") throws(ObjectStore.StoreError) {",
        "try visitor.member(\"id\", &self.`id`)", "try visitor.member(\"b\", &self.`b`)", "}", "}",
      ])
  }
}
