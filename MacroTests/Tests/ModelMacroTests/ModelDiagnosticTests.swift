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
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Indexed var b: [String: Int] = [:]\n}", 3,
        "'b' cannot be looked up by value: an index needs a number, a text, bytes, a date, a bool "
          + "or a UUID, or a list or set of these", nil
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
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Unique var b: Int { a }\n}", 3,
        "@Unique belongs to a stored member", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  #if X\n  @Indexed\n  #endif\n  var b = 0\n}",
        3, "an attribute inside #if would be there in some builds only; declare it for all", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Renamed(from: \"a\") var b = 0\n}", 1,
        "'b' cannot have been called 'a': there is a member of that name", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Renamed(from: \"b\") var b = 0\n}", 1,
        "'b' cannot have been called 'b': there is a member of that name", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Renamed(from: \"x\") var b = 0\n"
          + "  @Renamed(from: \"x\") var c = 0\n}", 1,
        "'x' is a former name twice; each value has one member to go to", nil
      ),
      (
        "@Model struct A {\n  @Renamed(from: \"b\") var a = 0\n}", 1,
        "former names are looked for in models with @PrimaryKey, and not inside of embedded ones: "
          + "take @Renamed away, and rename the member in a history or a migration block", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  #if DEBUG\n  var b = 0\n  #endif\n}", 4,
        "a member inside #if would be stored by some builds only; declare it for all, or mark it "
          + "@Transient", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  #if X\n  #else\n  #if Y\n  init() {}\n"
          + "  #endif\n  #endif\n}", 6,
        "an init() inside #if is there in some builds only; declare it for all, or in every "
          + "clause and in an #else", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @ObjectStore.Unique var b: Swift.Set<Int>"
          + " = []\n}", 3,
        "'b' cannot be unique, as no list or set is; @Indexed finds objects by the elements", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Unique var b: ([(Int)]?)\n}", 3,
        "'b' cannot be unique, as no list or set is; @Indexed finds objects by the elements", nil
      ),
      (
        "@Model struct A {\n  @PrimaryKey var a = 0\n  @Unique var b: Optional<Array<Int>> = nil\n}",
        3,
        "'b' cannot be unique, as no list or set is; @Indexed finds objects by the elements", nil
      ),
    ] as [(String, Int, String, String?)])
  func mistakes(text: String, line: Int, message: String, fix: String?) {
    #expect(Self.reports(text) == [Report(line: line, message: message, fix: fix)])
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
        + "  static let c = 1\n  var d: Int { 2 }\n  func e() {}\n  init(e: Int) {}\n  #endif\n}")
    #expect(reports.isEmpty)
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
