/// A value as it stands in an import file, before a schema gives it a type.
///
/// Integers and reals are told apart by how they are written: `1` is an integer, `1.0` a real, and
/// so is `1e3`.
enum ImportValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Always finite.
  case real(Double)
  /// A real whose digits are those of an integer, which the nearest double may not be.
  case wholeReal(Double, integer: Int64)
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
    case .real, .wholeReal: "a number"
    case .text: "text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  /// The nearest double of a real; nothing for another kind.
  var real: Double? {
    switch self {
    case .real(let real), .wholeReal(let real, _): real
    default: nil
    }
  }

  /// The member called `name`, or nothing; also nothing when this is not an object.
  subscript(name: String) -> ImportValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }
}
