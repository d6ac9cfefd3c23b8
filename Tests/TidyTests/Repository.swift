import Foundation

/// The files of this repository, found from where this very file stands.
struct Repository {
  /// The directory that holds Package.swift.
  let root: URL

  init(testFile: String = #filePath) {
    // Tests/TidyTests/Repository.swift, three steps below the root.
    root = URL(filePath: testFile).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// Directories that hold what builds make, never what people write.
  private static func isBuildDirectory(_ name: String) -> Bool {
    name.hasPrefix(".build") || [".git", ".swiftpm", "DerivedData"].contains(name)
  }

  /// Every file of the repository, relative to the root, in ascending order.
  func files() throws -> [String] {
    let keys: [URLResourceKey] = [.isDirectoryKey, .isRegularFileKey]
    let enumerator = FileManager.default.enumerator(at: root, includingPropertiesForKeys: keys)
    var paths: [String] = []
    let rootPath = root.path(percentEncoded: false)
    while let file = enumerator?.nextObject() as? URL {
      let values = try file.resourceValues(forKeys: Set(keys))
      if values.isDirectory == true, Self.isBuildDirectory(file.lastPathComponent) {
        enumerator?.skipDescendants()
      } else if values.isRegularFile == true, !Self.isBuildDirectory(file.lastPathComponent) {
        let path = file.path(percentEncoded: false)
        paths.append(String(path.dropFirst(rootPath.count)).trimmingPrefix("/").description)
      }
    }
    return paths.sorted()
  }

  /// The Swift files below any of `directories`.
  func swiftFiles(below directories: String...) throws -> [SourceFile] {
    try files()
      .filter { path in
        path.hasSuffix(".swift") && directories.contains { path.hasPrefix($0 + "/") }
      }
      .map { SourceFile(path: $0, text: try text(of: $0)) }
  }

  /// The text of a file; files that are not UTF-8 count as empty, as they hold no prose.
  func text(of path: String) throws -> String {
    let data = try Data(contentsOf: root.appending(path: path))
    return String(validating: data, as: UTF8.self) ?? ""
  }

  func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path(percentEncoded: false))
  }
}
