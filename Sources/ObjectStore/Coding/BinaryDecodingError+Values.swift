internal import BinaryCoding
internal import SchemaRegistry

extension BinaryDecodingError {
  /// Why a type refuses a value of the form in which it is stored; nothing where it does not, or
  /// the value has another form.
  ///
  /// Reading bytes tells what was wrong with them, and making a value of another one does not.
  init?<Member: StorableValue>(reading value: Value, as type: Member.Type) {
    let memberType = Member.memberType
    guard !value.isNull, value.isValid(for: memberType),
      let shape = try? TypeShape(
        name: "Value", identity: TypeIdentity(introducedIn: 0, originalName: "Value"),
        keyMember: "key",
        members: [MemberShape("key", .int64), MemberShape("value", memberType.unwrapped)]),
      let payload = try? RecordPayload.encode([.int(0), value], shape: shape)
    else { return nil }
    let found = payload.withUnsafeBytes { bytes -> BinaryDecodingError? in
      var reader = ByteReader(bytes)
      do throws(BinaryDecodingError) { _ = try Member.decode(from: &reader) } catch {
        return error
      }
      return nil
    }
    guard let found else { return nil }
    self = found
  }

  /// What is wrong, for values that were read by name: their place among made up bytes tells
  /// nothing.
  var withoutPlace: String {
    switch self {
    case .invalidValue(_, let reason): reason
    case .integerOutOfRange: "the integer is out of range"
    default: description
    }
  }
}
