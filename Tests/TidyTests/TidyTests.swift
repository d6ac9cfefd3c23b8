import Testing

@Suite("Every file of the repository keeps the style guide")
struct TidyTests {
  private let repository = Repository()

  /// One failure for each violation, so that a run names them all.
  private func expectNone(_ violations: [Violation]) {
    for violation in violations { Issue.record(Comment(rawValue: violation.description)) }
  }

  private func allSwiftFiles() throws -> [SourceFile] {
    try repository.swiftFiles(below: "Sources", "Tests", "Examples", "Benchmarks")
  }

  @Test("The repository is found, with its manifest and sources")
  func repositoryIsFound() throws {
    #expect(repository.exists("Package.swift"))
    #expect(try repository.swiftFiles(below: "Sources").count > 10)
  }

  @Test("Files, functions and lines stay within their limits")
  func sizes() throws {
    for file in try allSwiftFiles() {
      expectNone(SizeRules.files(file) + SizeRules.lines(file) + SizeRules.functions(file))
    }
  }

  @Test("Files are named after their types, and no type has a banned word")
  func names() throws {
    for file in try allSwiftFiles() { expectNone(NameRules.words(file)) }
    for file in try repository.swiftFiles(below: "Sources", "Examples") {
      expectNone(NameRules.files(file))
    }
  }

  @Test("Modules import downwards only, and each border has one door")
  func imports() throws {
    for file in try repository.swiftFiles(below: "Sources") {
      expectNone(ImportRules.arrows(file) + ImportRules.compression(file))
    }
  }

  @Test("Libraries neither end the process nor print")
  func calls() throws {
    for file in try repository.swiftFiles(below: "Sources") where file.module != "LogStoreTool" {
      expectNone(CallRules.calls(file))
    }
  }

  @Test("Every public declaration is documented")
  func documentation() throws {
    let files = try repository.swiftFiles(below: "Sources")
    let requirements = DocumentationRules.requirements(files)
    for file in files {
      expectNone(DocumentationRules.documentation(file, requirements: requirements))
    }
  }

  @Test("Links between documents lead somewhere")
  func links() throws {
    for path in try repository.files() where path.hasSuffix(".md") {
      expectNone(
        TextRules.brokenLinks(
          path: path, text: try repository.text(of: path), exists: repository.exists))
    }
  }

  @Test("No text names a machine's paths or a package registry")
  func machineTraces() throws {
    // Real packages name their own home pages and maintainers.
    let sample = "Examples/PackageCatalogue/sample-packages.txt"
    for path in try repository.files() where path != sample && path != "Package.resolved" {
      expectNone(TextRules.machineTraces(path: path, text: try repository.text(of: path)))
    }
  }
}
