internal import BinaryCoding
internal import SchemaRegistry

extension UnknownCase {
  /// What a value holds that no case of an enumeration in `type` has; nothing where it is refused
  /// for another reason.
  init?<Member: StorableValue>(in value: Value, as type: Member.Type) {
    guard case .unknownCase(let unknown, _)? = BinaryDecodingError(reading: value, as: type) else {
      return nil
    }
    self = unknown
  }

  /// `value`, which no case of `type` has; it is told where the type lists its cases.
  init(of value: Value, in type: Any.Type, isListed: Bool) {
    let text = KeyCoding.text(of: value)
    let shown = if case .string = value { "\"\(text)\"" } else { text }
    self.init(enumeration: "\(type)", value: isListed ? shown : nil)
  }

  /// The error for an object of `type` with it in `member`.
  func error(in member: String, of type: String, _ keyText: String) -> SchemaError {
    .unknownCase(
      type: type, keyText: keyText, member: ([member] + path).joined(separator: "."),
      enumeration: enumeration, value: value)
  }
}
