/// Which module may import which: the arrows of ARCHITECTURE.md.
enum ImportRules {
  /// For each module below Sources, what it may import besides the standard library.
  static let allowed: [String: Set<String>] = [
    "BinaryCoding": ["CChecksum"],
    "FileIO": platform.union(["CLinux"]),
    "LogStore": ["FileIO", "BinaryCoding", "CLZ4"],
    "SchemaRegistry": ["BinaryCoding"],
    "Compaction": ["LogStore", "SchemaRegistry", "BinaryCoding"],
    "ObjectStore": [
      "Compaction", "LogStore", "SchemaRegistry", "BinaryCoding", "FileIO", "Foundation",
      "FoundationEssentials",
    ],
    "ModelMacros": [
      "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics",
      "SwiftCompilerPlugin",
    ],
    "StoreTelemetry": ["LogStore", "Logging", "CoreMetrics"],
    "LogStoreTesting": ["ObjectStore", "FileIO", "Foundation"],
    "LogStoreCommands": commandImports,
    "LogStoreTool": commandImports.union(["LogStoreCommands"]),
  ]

  private static let platform: Set<String> = ["Glibc", "Musl", "Darwin", "Bionic"]
  private static let commandImports: Set<String> = [
    "ObjectStore", "Compaction", "LogStore", "SchemaRegistry", "BinaryCoding", "FileIO",
    "ArgumentParser", "Foundation", "FoundationEssentials",
  ]
  /// Parts of the standard library that are modules of their own.
  private static let standardLibrary: Set<String> = ["Synchronization", "Swift", "_Concurrency"]
  /// The one file that compresses.
  static let compressionFiles = ["RecordCompression", "CompressionState", "PreparedDictionary"]

  nonisolated(unsafe) private static let importLine =
    #/
      ^\s* (?: @\w+ (?: \([^)]*\) )? \s+ )*
      (?: (?: public | package | internal | fileprivate | private ) \s+ )?
      import \s+ (?: (?: struct | class | enum | protocol | func | var | let ) \s+ )? (\w+)
    /#

  static func arrows(_ file: SourceFile) -> [Violation] {
    imports(of: file).compactMap { line, module in
      guard let allowed = allowed[file.module] else {
        return Violation(
          path: file.path, line: line, rule: "the module \(file.module) has no row in the table",
          remedy: "add it to ImportRules.allowed and to ARCHITECTURE.md")
      }
      guard !allowed.contains(module), !standardLibrary.contains(module) else { return nil }
      return Violation(
        path: file.path, line: line, rule: "\(file.module) must not import \(module)",
        remedy: "move the code to the module that may, or pass the value in")
    }
  }

  static func compression(_ file: SourceFile) -> [Violation] {
    imports(of: file)
      .filter { $0.module == "CLZ4" && !compressionFiles.contains(file.name) }
      .map { line, _ in
        Violation(
          path: file.path, line: line,
          rule: "only \(compressionFiles.joined(separator: " and ")) import CLZ4",
          remedy: "go through RecordCompression")
      }
  }

  private static func imports(of file: SourceFile) -> [(line: Int, module: String)] {
    file.codeLines.enumerated().compactMap { index, line in
      line.firstMatch(of: importLine).map { (index + 1, String($0.1)) }
    }
  }
}
