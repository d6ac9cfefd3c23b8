/// A value as it stands in an import file, before a schema gives it a type.
///
/// Integers and reals are told apart by how they are written: `1` is an integer, `1.0` a real.
enum ImportValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Always finite.
  case real(Double)
  case text(String)
  case list([ImportValue])
  /// Members in the order they were written; no name appears twice.
  case object([ImportMember])
}

extension ImportValue {
  /// The kind in words, for messages; never the value itself.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .real: "a number"
    case .text: "text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  /// The member called `name`, or nothing; also nothing when this is not an object.
  subscript(name: String) -> ImportValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }
}
