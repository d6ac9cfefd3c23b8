import Testing

@Suite("Each rule of the style guide finds what breaks it, and nothing else")
struct RuleTests {
  private func file(_ text: String, path: String = "Sources/LogStore/Thing.swift") -> SourceFile {
    SourceFile(path: path, text: text)
  }

  @Test("Comments and texts are masked, code is not")
  func mask() {
    let text = """
      let a = "try! \\" x" // try!
      /* outer /* inner */ try! */ let b = #"a " try!"#
      let c = \"\"\"
        try!
        \"\"\"
      try! d()
      """
    let lines = file(text).codeLines
    #expect(lines.count == 6)
    #expect(lines.indices.filter { lines[$0].contains("try!") } == [5])
    #expect(lines[0].hasPrefix("let a = \""))
    #expect(lines[1].contains("let b = #\""))
  }

  @Test("Long files, lines and functions are found at their place")
  func sizes() {
    let long = String(repeating: "x\n", count: 401)
    #expect(SizeRules.files(file(long)).count == 1)
    #expect(SizeRules.files(file(String(repeating: "x\n", count: 400))).isEmpty)
    #expect(SizeRules.files(file(long, path: "Tests/A/B.swift")).isEmpty)
    #expect(SizeRules.lines(file("a\n" + String(repeating: "y", count: 101))).first?.line == 2)
    #expect(SizeRules.lines(file(String(repeating: "y", count: 100))).isEmpty)
    func function(_ lineCount: Int) -> String {
      "struct A {\n  public func a(\n    b: Int\n  ) -> Int {\n"
        + String(repeating: "    c { d }\n", count: lineCount - 4) + "  }\n}\n"
    }
    #expect(SizeRules.functions(file(function(60))).isEmpty)
    #expect(SizeRules.functions(file(function(61))).first?.line == 2)
  }

  @Test("A requirement without a body does not borrow the next one's")
  func requirements() {
    let text = """
      protocol A {
        func b() throws
        func c()
      }
      struct D {
      \(String(repeating: "  let e = 1\n", count: 70))}
      """
    #expect(SizeRules.functions(file(text)).isEmpty)
  }

  @Test("Banned words count as whole words of a camel-case name")
  func words() {
    #expect(NameRules.words(file("struct LogEntry {}")).count == 1)
    #expect(NameRules.words(file("final class DataManager {}")).count == 2)
    #expect(NameRules.words(file("enum Database {}\nstruct Blocker {}")).isEmpty)
    #expect(NameRules.words(file("struct Command: ParsableCommand {} // class Node")).isEmpty)
    #expect(NameRules.camelCaseWords("HTTPBlockList") == ["HTTP", "Block", "List"])
  }

  @Test("A file's name is that of its type")
  func fileNames() {
    #expect(NameRules.files(file("public struct Thing {}")).isEmpty)
    #expect(NameRules.files(file("struct Other {}")).count == 1)
    #expect(NameRules.files(file("struct Things {}")).count == 1)
    let topic = "Sources/LogStore/Thing+Topic.swift"
    #expect(NameRules.files(file("extension Thing {}", path: topic)).isEmpty)
    #expect(NameRules.files(file("extension Thing.Part {}", path: topic)).isEmpty)
    #expect(NameRules.files(file("extension Other {}", path: topic)).count == 1)
    #expect(NameRules.files(file("a()", path: "Sources/LogStoreTool/main.swift")).isEmpty)
  }

  @Test("Imports upwards, of the platform and of LZ4 are found")
  func imports() {
    #expect(ImportRules.arrows(file("internal import SchemaRegistry")).count == 1)
    #expect(ImportRules.arrows(file("  import Glibc")).count == 1)
    #expect(ImportRules.arrows(file("@testable import struct Foundation.URL")).count == 1)
    #expect(ImportRules.arrows(file("public import FileIO\nimport Synchronization")).isEmpty)
    #expect(ImportRules.arrows(file("import A", path: "Sources/New/A.swift")).count == 1)
    #expect(ImportRules.compression(file("internal import CLZ4")).count == 1)
    let door = "Sources/LogStore/Records/RecordCompression.swift"
    #expect(ImportRules.compression(file("internal import CLZ4", path: door)).isEmpty)
  }

  @Test("Calls that end the process or print are found")
  func calls() {
    for call in ["try! a()", "fatalError()", "print(1)", "a as! B "] {
      #expect(CallRules.calls(file(call)).count == 1, "\(call)")
    }
    #expect(CallRules.calls(file("sprint(1); a.print(); try? b() // print()")).isEmpty)
  }

  @Test("Undocumented public declarations are found")
  func documentation() {
    func count(_ text: String) -> Int {
      DocumentationRules.documentation(file(text), requirements: ["func read(into"]).count
    }
    #expect(count("public struct A {}") == 1)
    #expect(count("@frozen public final class A {}") == 1)
    #expect(count("  public static func b() {}") == 1)
    #expect(count("  public private(set) var b = 1") == 1)
    #expect(count("/// A.\n@frozen\npublic struct A {}") == 0)
    #expect(count("struct A {}\npublic import B\npublic extension A {}") == 0)
    #expect(count("  public var description: String { c }") == 0)
    #expect(count("  public func read(into a: B) {}") == 0)
    #expect(count("  public func read(from a: B) {}") == 1)
    #expect(count("  let a: Int\n\n  public init(a: Int) { self.a = a }") == 0)
    #expect(count("  let a: Int\n\n  public init(b: Int) { a = b }") == 1)
    #expect(count("  public init() {}") == 0)
    #expect(count("  public func read(\n    into a: B) {}") == 0)
  }

  @Test("Requirements of protocols are collected")
  func protocolRequirements() {
    let text = "public protocol A {\n  func b(c: Int)\n  var d: Int { get }\n}\nfunc e() {}\n"
    #expect(DocumentationRules.requirements([file(text)]) == ["func b(c", "var d"])
  }

  @Test("Traces of a machine are found, package names are not")
  func traces() {
    func count(_ text: String) -> Int { TextRules.machineTraces(path: "a.md", text: text).count }
    #expect(count("see /wo" + "rk/main") == 1)
    #expect(count("http" + "://deb.deb" + "ian.org/x") == 1)
    #expect(count("the Debian package catalogue of apt-cache") == 0)
    #expect(count("homework/essay, someone@lists.deb" + "ian.org") == 0)
  }

  @Test("Links that lead nowhere are found")
  func links() {
    func broken(_ text: String) -> [Int] {
      TextRules.brokenLinks(path: "Documentation/A.md", text: text) {
        ["Documentation/B.md", "README.md"].contains($0)
      }.map(\.line)
    }
    #expect(broken("[b](B.md) [r](../README.md#top) [w](https://a.b/c) [t](#top)") == [])
    #expect(broken("x\n[c](C.md)") == [2])
    #expect(broken("`[c](C.md)`\n```\n[c](C.md)\n```\n[d](./D.md)") == [5])
  }
}
