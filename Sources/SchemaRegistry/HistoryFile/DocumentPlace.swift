/// A value in a history file together with the way to it, for strict reading with exact errors.
struct DocumentPlace {
  let tree: DocumentTree
  var path = DocumentPath.top

  func failure(_ reason: String) -> SchemaError {
    let text = path.text
    return .invalidHistoryDocument(path: text.isEmpty ? "the top level" : text, reason: reason)
  }

  /// The object here, whose keys must be among `allowed`; reports the first one that is not.
  func object(allowing allowed: Set<String>) throws(SchemaError) -> [String: DocumentPlace] {
    guard case .object(let values) = tree else { throw failure("an object is expected") }
    var result: [String: DocumentPlace] = [:]
    for key in values.keys.sorted() {
      guard allowed.contains(key) else {
        throw failure(
          "the key \"\(DocumentPath.cut(key))\" is unknown; known are "
            + allowed.sorted().joined(separator: ", "))
      }
      result[key] = values[key].map { DocumentPlace(tree: $0, path: .key(key, of: path)) }
    }
    return result
  }

  /// The keys of the object here, whatever they are.
  func keys() throws(SchemaError) -> Set<String> {
    guard case .object(let values) = tree else { throw failure("an object is expected") }
    return Set(values.keys)
  }

  /// The value under `key` of an object that was read from here.
  func required(
    _ key: String, in object: [String: DocumentPlace]
  ) throws(SchemaError) -> DocumentPlace {
    guard let place = object[key] else { throw failure("the key \"\(key)\" is missing") }
    return place
  }

  func array() throws(SchemaError) -> [DocumentPlace] {
    guard case .array(let values) = tree else { throw failure("an array is expected") }
    return values.enumerated().map { DocumentPlace(tree: $1, path: .element($0, of: path)) }
  }

  func text() throws(SchemaError) -> String {
    guard case .text(let text) = tree else { throw failure("a text is expected") }
    return text
  }

  func version() throws(SchemaError) -> SchemaVersion {
    guard case .integer(let number) = tree, number >= 0 else {
      throw failure("a version number is expected")
    }
    return SchemaVersion(UInt64(number))
  }

  func revision() throws(SchemaError) -> UInt32 {
    guard case .integer(let number) = tree, let revision = UInt32(exactly: number) else {
      throw failure("a revision number is expected")
    }
    return revision
  }

  /// A type; constants may be embedded objects without a member, which no member can hold.
  func fieldType(allowingEmptyObjects: Bool = false) throws(SchemaError) -> FieldType {
    var parser = FieldTypeParser(try text(), allowsEmptyObjects: allowingEmptyObjects)
    do throws(SchemaError) {
      return try parser.parse()
    } catch {
      // It becomes a part of a sentence.
      let text = error.description
      throw failure(text.hasSuffix(".") ? String(text.dropLast()) : text)
    }
  }
}
