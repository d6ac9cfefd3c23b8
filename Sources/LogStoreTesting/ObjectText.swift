internal import Foundation
internal import ObjectStore

/// Objects in JSON, read in the light of their shape.
enum ObjectText {
  static func members(of type: TypeShape, json: String) throws -> [String: Value] {
    try JSONDecoder().decode(ObjectDocument.self, from: Data(json.utf8)).members(of: type)
  }
}
