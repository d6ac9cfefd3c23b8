import Foundation
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
    var isWarning = false
  }

  /// Expands every macro in `text` and returns what was reported.
  static func reports(_ text: String) -> [Report] {
    expand(text).reports
  }

  /// `missing` are the protocols to which nothing makes the models conform.
  static func expand(
    _ text: String, missing: [String] = ["StorableObject", "EmbeddedObject"]
  ) -> (text: String, reports: [Report]) {
    let file = Parser.parse(source: text)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "App", fullFilePath: "App.swift")])
    let conformances = missing.map { name in
      TypeSyntax(IdentifierTypeSyntax(name: .identifier(name)))
    }
    var macros = ["Model": MacroSpec(type: ModelMacro.self, conformances: conformances)]
    for name in ["PrimaryKey", "Indexed", "Unique", "Transient", "Renamed"] {
      macros[name] = MacroSpec(type: MemberMarker.self)
    }
    let expanded = file.expand(macroSpecs: macros) { node in
      BasicMacroExpansionContext(
        sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
    }
    let reports = context.diagnostics.map { diagnostic in
      Report(
        line: context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "")
          .line,
        message: diagnostic.message,
        fix: diagnostic.fixIts.first.map { fixIt in fixIt.message.message },
        isWarning: diagnostic.diagMessage.severity == .warning)
    }
    return (expanded.description, reports)
  }

  @Test("What is written for a model is available where the model is")
  func availability() {
    let (text, reports) = Self.expand(
      "@available(macOS 26, iOS 26, *) @Model struct A {\n  @PrimaryKey var id = 0\n}")
    #expect(reports.isEmpty)
    let attribute = "@available(macOS 26, iOS 26, *)"
    #expect(text.components(separatedBy: attribute).count == 3, "\(text)")
    #expect(text.contains("\(attribute)\nextension A"), "\(text)")
  }

  @Test("R24: a former name may be that of another member, but for one that took its name in turn")
  func reusedNames() {
    let key = "@Model struct A {\n  @PrimaryKey var id = 0\n"
    let reused = Self.expand(key + "  @Renamed(from: \"a\") var b = 0\n  var a = 0\n}")
    #expect(reused.reports == [])
    #expect(reused.text.contains(#"["b": ["a"]]"#))
    let shifted = key + "  @Renamed(from: \"b\") var c = 0\n  @Renamed(from: \"a\") var b = 0\n}"
    #expect(Self.reports(shifted) == [])
    let exchanged = key + "  @Renamed(from: \"b\") var a = 0\n  @Renamed(from: \"a\") var b = 0\n}"
    #expect(Self.reports(exchanged) == [])
    let older = key + "  @Renamed(from: \"b\") @Renamed(from: \"x\") var c = 0\n  var b = 0\n}"
    #expect(Self.reports(older) == [])
  }

  @Test("Two mistakes are told at once")
  func several() {
    let reports = Self.reports(
      "@Model struct A {\n  @PrimaryKey let id: Int\n  lazy var b = 1\n}")
    #expect(reports.map(\.line) == [2, 3])
  }

  @Test("What #if may hold is left alone: functions, and members that are not stored")
  func conditions() {
    let reports = Self.reports(
      "@Model struct A {\n  @PrimaryKey var a = 0\n  #if DEBUG\n  @Transient var b = 0\n"
        + "  @Transient var (f, g) = (1, 2)\n  static let c = 1\n  var d: Int { 2 }\n"
        + "  func e() {}\n  init(e: Int) {}\n  #endif\n}")
    #expect(reports.isEmpty)
  }

  @Test("Comments and attributes of similar names inside #if are no attributes of the library")
  func similarNames() {
    let reports = Self.reports(
      "@Model struct A {\n  @PrimaryKey var a = 0\n  #if X\n  // Not @Indexed\n  @IndexedBy(1)\n"
        + "  #endif\n  var b = 0\n}")
    #expect(reports == [])
  }

  @Test("What a wrapper of a transient member begins with is left to the compiler")
  func wrappers() {
    for declaration in ["struct", "final class"] {
      let result = Self.expand(
        "@Model \(declaration) A {\n  @PrimaryKey var a = 0\n"
          + "  @Transient @Limited(wrappedValue: 5, to: 9) var b: Int\n"
          + "  @Limited(to: 9) var c = 5\n  @Limited(to: 9) var d: Int?\n"
          + "  @available(*, deprecated) @objc(e) @MainActor var e: Int\n"
          + "  @Guide(description: \"g\") var f: Int\n}")
      #expect(result.reports == [])
      #expect(!result.text.contains("self.`b` ="))
      #expect(result.text.contains("self.`f` ="))
      #expect(result.text.contains("self.`e` ="))
    }
  }

  @Test("A type around a model may be private where it is the outermost")
  func privateAround() {
    let model = "@Model struct A {\n  @PrimaryKey var a = 0\n  }"
    #expect(Self.reports("private enum B {\n  \(model)\n}") == [])
    let reports = Self.reports("enum C {\n  private enum B {\n  \(model)\n  }\n}")
    #expect(reports.map(\.line) == [3])
  }

  @Test("An init() in every clause of #if is one in every build")
  func initializers() {
    let result = Self.expand(
      "@Model struct A {\n  @PrimaryKey var a: Int\n  #if X\n  init() { a = 1 }\n  #elseif Y\n"
        + "  #if Z\n  init() { a = 2 }\n  #else\n  init() { a = 3 }\n  #endif\n  #else\n"
        + "  init() { a = 4 }\n  #endif\n}")
    #expect(result.reports.isEmpty)
    #expect(!result.text.contains("Placeholder.value"))
    let missing = Self.reports(
      "@Model struct A {\n  @PrimaryKey var a: Int\n  #if X\n  init() { a = 1 }\n  #elseif Y\n"
        + "  init() { a = 2 }\n  #endif\n}")
    #expect(missing.map(\.line) == [4, 6])
  }

  @Test("Observers of a stored member are warned of, as reading and putting run them")
  func observers() {
    let result = Self.expand(
      "@Model struct A {\n  @PrimaryKey var a = 0\n  var b = 0 { didSet {} }\n"
        + "  @Transient var c = 0 { willSet {} }\n}")
    #expect(
      result.reports == [
        Report(
          line: 3,
          message: "'b' is set whenever an object is read or put, and its observers run then, too; "
            + "do what they do in a method, or mark the member @Transient", isWarning: true)
      ])
    #expect(result.text.contains("try visitor.member(\"b\", &self.`b`)"))
  }

  @Test("Attributes are known by the name of their module, too, and others by none")
  func qualified() {
    let text = Self.expand(
      "@Model struct A {\n  @ObjectStore.PrimaryKey var a = 0\n  @ObjectStore.Unique var b = 0\n"
        + "  @ObjectStore.Transient var c = 0\n  @Other.Indexed var d = 0\n}"
    ).text
    #expect(text.contains("\"a\"") && text.contains(".unique(\"b\")"))
    #expect(!text.contains("&self.`c`") && !text.contains(".init(\"d\")"))
  }

  @Test("A member may have had several names, the newest first")
  func formerNames() {
    let text = Self.expand(
      "@Model struct A {\n  @PrimaryKey var a = 0\n  @Renamed(from: \"x\") @Renamed(from: \"y\") "
        + "var b = 0\n}"
    ).text
    #expect(text.contains("[\"b\": [\"x\", \"y\"]]"))
  }

  @Test(
    "An init() is written where the compiler writes none",
    arguments: [
      ("struct A {\n  @PrimaryKey var a = 0\n}", false),
      ("struct A {\n  @PrimaryKey var a = 0\n  init(b: Int) { a = b }\n}", true),
      ("struct A {\n  @PrimaryKey var a = 0\n  init() {}\n  init(b: Int) { a = b }\n}", false),
      ("final class A {\n  @PrimaryKey var a = 0\n  init(b: Int) { a = b }\n}", true),
      ("public struct A {\n  @PrimaryKey var a = 0\n}", true),
      ("public struct A {\n  @PrimaryKey var a = 0\n  init() {}\n}", false),
      ("public final class A {\n  @PrimaryKey var a = 0\n}", true),
      ("final class A {\n  @PrimaryKey var a = 0\n}", false),
      ("struct A {\n  @PrimaryKey var a = 0\n  var b, c: Int?\n}", false),
      ("struct A {\n  @PrimaryKey var a = 0\n  var b, c: Int\n}", true),
      ("struct A {\n  @PrimaryKey var a = 0\n  var b = 1, c: Int?, d: ((Int?))\n}", false),
    ])
  func initializers(text: String, isWritten: Bool) {
    let count = text.components(separatedBy: "init() {").count + (isWritten ? 1 : 0)
    let expanded = Self.expand("@Model " + text).text
    #expect(expanded.components(separatedBy: "init() {").count == count)
  }

  @Test(
    "An initialiser that could be called without arguments must not delegate to the macro's",
    arguments: [
      ("init(a: Int = 0) {\n    self.init()\n    self.a = a\n  }", [4]),
      ("init(a: Int = 0, b: Int = 1) {\n    if a == b {\n      self.init()\n    }\n  }", [5]),
      ("init(a: Int) {\n    self.init()\n    self.a = a\n  }", []),
      ("init(a: Int = 0) {\n    self.init(b: a)\n  }", []),
      ("init(a: Int = 0) {\n    self.a = a\n  }", []),
      ("init(a: Int = 0) {\n    self.init()\n  }\n  init() {\n  }", []),
      ("init(a: Int...) {\n    self.init()\n  }", [4]),
      ("init(a: Int..., b: Int = 1) {\n    self.init()\n  }", [4]),
      ("init(a: Int = 0) {\n    self = Self()\n  }", [4]),
      ("init(a: Int = 0) {\n    self = .init()\n  }", [4]),
      ("init(a: Int = 0) {\n    self = A()\n    self.a = a\n  }", [4]),
      ("init(a: Int = 0) {\n    self = Self.init()\n  }", [4]),
      ("init(a: Int = 0) {\n    self = A(b: 1)\n    let b = Set<Int>()\n  }", []),
      ("#if X\n  init(a: Int = 0) {\n    self.init()\n  }\n  #endif", [5]),
      ("#if X\n  init(a: Int) {\n    self.init()\n  }\n  #endif", []),
      ("init(a: Int = 0) {\n    let base = Self()\n    a = base.a\n  }", []),
      ("init(a: Int = 0) {\n    self = Shop.A()\n  }", [4]),
      ("init(a: Int = 0) {\n    self = A<Int>()\n  }", [4]),
      ("init(a: Int = 0) {\n    let other = Other.A()\n    self.a = a\n  }", []),
      ("init(a: Int = 0) {\n    self.a = a\n    Self.make = { Self() }\n  }", []),
      ("init(a: Int = 0) {\n    self.init(a)\n  }\n  init(_ b: Int) {\n    self.init()\n  }", [7]),
      ("init(a: Int = 0) {\n    self.a = a\n  }\n  init(_ b: Int) {\n    self.init()\n  }", []),
      (
        "init(a: Int = 0) {\n    self.init(b: \"x\")\n  }\n  init(b c: String) {\n    a = 1\n  }\n"
          + "  init(b d: Other) {\n    self.init()\n  }", []
      ),
      ("init(a: Int = 0) {\n    self.a = a\n    func b() {\n      self = Self()\n    }\n  }", []),
      (
        "init(a: Int = 0) {\n    self.init(b: 1)\n  }\n  init(b: Int, c: Int = 2) {\n"
          + "    self.init()\n  }\n  init(b: Int) {\n    a = b\n  }", []
      ),
      (
        "init(a: Int = 0) {\n    self.init(b: a)\n  }\n  init(b: Int, c: Int...) {\n"
          + "    self.init(b, 1, 2) { 3 }\n  }\n  init(_ d: Int..., e: () -> Int) {\n"
          + "    self.init()\n  }\n  init(f: Int) {\n    self.init()\n  }", [10]
      ),
    ])
  func delegations(initializer: String, lines: [Int]) {
    let reports = Self.reports("@Model struct A {\n  @PrimaryKey var a: Int\n  \(initializer)\n}")
    #expect(reports.map(\.line) == lines)
    #expect(reports.allSatisfy { $0.message.contains("would call itself") })
  }

  @Test("An initialiser inside #if takes the compiler's init() from the builds that have it")
  func conditionalInitializers() {
    func expanded(_ declaration: String, _ members: String = "") -> String {
      Self.expand(
        "@Model \(declaration) A {\n  @PrimaryKey var a = 0\n\(members)  #if X\n  #elseif Y\n"
          + "  #if Z\n  init(b: Int) { a = b }\n  #endif\n  #else\n  init(c: Int) { a = c }\n"
          + "  #endif\n}"
      ).text
    }
    let condition = "#if (!(X) && (Y) && (Z)) || (!(X) && !(Y))"
    #expect(expanded("struct").contains(condition))
    for (declaration, members) in [
      ("public struct", ""), ("final class", ""), ("struct", "  var d: Int\n"),
      ("struct", "  init(d: Int) { a = d }\n"),
    ] {
      let text = expanded(declaration, members)
      #expect(text.contains("init() {") && !text.contains(condition), "\(text)")
    }
  }

  @Test("What a type conforms to already is not said again, wherever that stands")
  func conformances() {
    for text in ["@PrimaryKey var a = 0", "var a = 0"] {
      let expanded = Self.expand("@Model struct A {\n  \(text)\n}", missing: []).text
      #expect(expanded.contains("extension A {"), "\(expanded)")
    }
  }

  @Test(
    "An attribute of a member outside of a model is told, with what says the same by hand",
    arguments: [
      ("struct A {\n  @Unique var b = 0\n}", "@Unique", "list the member in 'indexes' as .unique"),
      (
        "struct A: StorableObject {\n  @PrimaryKey var b = 0\n}", "@PrimaryKey",
        "name the member in 'primaryKey'"
      ),
      (
        "@Model struct A {\n  struct B {\n    @Indexed var c = 0\n  }\n  var d = 0\n}", "@Indexed",
        "list the member in 'indexes'"
      ),
      (
        "@Other.Model struct A {\n  @Transient var b = 0\n}", "@Transient",
        "leave the member out of 'visitMembers'"
      ),
      ("@Renamed(from: \"a\") var b = 0", "@Renamed", "list the name in 'formerNames'"),
    ])
  func outsideOfModels(text: String, attribute: String, byHand: String) {
    #expect(
      Self.reports(text).map(\.message) == [
        "\(attribute) means something in a type with @Model only; by hand, \(byHand)"
      ])
  }

  @Test("Extensions, and models by the name of the module or inside #if, have such attributes")
  func insideOfModels() {
    for text in [
      "extension A {\n  @Transient var b: Int { 0 }\n}",
      "@ObjectStore.Model struct A {\n  @PrimaryKey var b = 0\n}",
      "#if X\n@Model\n#endif\nstruct A {\n  @PrimaryKey var b = 0\n}",
      "enum B {\n  @Model struct A {\n    @PrimaryKey var b = 0\n  }\n}",
    ] { #expect(Self.reports(text) == [], "\(text)") }
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
        "@_disfavoredOverload init() {", "self.`id` = ObjectStore.Placeholder.value()", "}",
        "mutating func visitMembers<ModelVisitor: ObjectStore.MemberVisitor>(",
        "_ visitor: inout ModelVisitor", ") throws(ObjectStore.StoreError) {",
        "try visitor.member(\"id\", &self.`id`)", "try visitor.member(\"b\", &self.`b`)", "}", "}",
      ])
  }
}
