internal import BinaryCoding
internal import SchemaRegistry

extension UnknownCase {
  /// What a value holds that no case of an enumeration in `type` has; nothing where it is refused
  /// for another reason.
  ///
  /// Reading bytes tells what was wrong with them, and making a value of another one does not.
  init?<Member: StorableValue>(in value: Value, as type: Member.Type) {
    let memberType = Member.memberType
    guard !value.isNull, value.isValid(for: memberType),
      let shape = try? TypeShape(
        name: "Value", identity: TypeIdentity(introducedIn: 0, originalName: "Value"),
        keyMember: "key",
        members: [MemberShape("key", .int64), MemberShape("value", memberType.unwrapped)]),
      let payload = try? RecordPayload.encode([.int(0), value], shape: shape)
    else { return nil }
    let found = payload.withUnsafeBytes { bytes -> UnknownCase? in
      var reader = ByteReader(bytes)
      do throws(BinaryDecodingError) { _ = try Member.decode(from: &reader) } catch {
        if case .unknownCase(let unknown, _) = error { return unknown }
      }
      return nil
    }
    guard let found else { return nil }
    self = found
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
