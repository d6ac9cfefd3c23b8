internal import SchemaRegistry

extension StorableTypeVisitor {
  /// Throws where no object could be looked up by its key, as look-ups take a ``StorableKey``, or
  /// where the order of keys would not be that of their values.
  static func check<Key: StorableValue>(
    key: Key, _ name: String, of model: String
  ) throws(StoreError) {
    if isKey(key) { return }
    throw .schema(
      .invalidShape(
        type: model,
        reason: "the key \(name) is a \(Key.self), which cannot be one; let it be an integer but "
          + "UInt64 and UInt, a String, a UUID or Data, or declare a type of your own StorableKey"))
  }

  /// Links are looked up by what they are themselves, and structs with raw values by these.
  private static func isKey(_ value: Any) -> Bool {
    let type = Swift.type(of: value)
    if LibraryScalars.contain(type) { return LibraryScalars.containKey(type) }
    if type is any StorableKey.Type || type is any LinkingValue.Type { return true }
    guard let raw = value as? any RawRepresentable,
      Mirror(reflecting: value).displayStyle != .enum
    else { return false }
    return isKey(raw.rawValue)
  }
}
