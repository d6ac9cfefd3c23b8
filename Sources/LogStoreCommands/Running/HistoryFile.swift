internal import ArgumentParser
internal import FileIO
internal import Foundation
public import SchemaRegistry

/// The option `--history FILE`: a history described without code, as `HistoryDocument` reads it.
public struct HistoryFile: HistoryProvider {
  /// A history has a few kilobytes; more than 16 MiB is another file given by mistake.
  private static let byteCountMaximum = 16 << 20

  @Option(
    name: .customLong("history"),
    help: ArgumentHelp(
      "A history of the schema; objects are upgraded to its last version.", valueName: "file"))
  var path: String?

  public init() {}

  public func history() throws -> SchemaHistory? {
    guard let path else { return nil }
    return try Self.read(try Self.bytes(of: path), path: path)
  }

  /// The history of the file at `path`.
  static func read(at path: String) throws -> SchemaHistory {
    try read(try bytes(of: path), path: path)
  }

  private static func read(_ bytes: [UInt8], path: String) throws -> SchemaHistory {
    // Read by our own parser first, which knows the place of an error and refuses double keys.
    var parser = JSONParser(depthMaximum: HistoryDocument.depthMaximum, roundsIntegers: true)
    do throws(JSONProblem) {
      _ = try parser.parse(bytes.span)
    } catch {
      throw CommandError.unreadableHistory(
        path: path, reason: "it is not valid JSON at byte \(parser.offset + 1): \(error)")
    }
    do {
      return try JSONDecoder().decode(HistoryDocument.self, from: Data(bytes)).history
    } catch let error as SchemaError {
      throw error
    } catch {
      throw CommandError.unreadableHistory(path: path, reason: "it is not a history")
    }
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    let input = try DescriptorInput(path: path)
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let result = part.withUnsafeMutableBytes { part in
        Result { () throws(FileIOError) in try input.read(into: part) }
      }
      let count = try result.get()
      if count == 0 { return bytes }
      bytes += part[..<count]
      guard bytes.count <= byteCountMaximum else {
        throw CommandError.unreadableHistory(
          path: path, reason: "it is larger than \(byteCountMaximum) bytes")
      }
    }
  }
}
