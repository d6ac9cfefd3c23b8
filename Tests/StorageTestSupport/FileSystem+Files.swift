package import FileIO

extension FileSystem {
  /// The bytes of all files of a directory by name: equal before and after what changes nothing.
  package func filesByName(in path: String) throws -> [String: [UInt8]] {
    let directory = try openDirectory(at: path, create: false)
    var files: [String: [UInt8]] = [:]
    for text in try directory.list() {
      guard let name = FileName(text) else { continue }
      let file = try directory.open(name, .read)
      var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
      let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
      files[text] = Array(bytes.prefix(count))
    }
    return files
  }
}
