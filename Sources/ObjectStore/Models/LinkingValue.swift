/// A value that means an object of another type, or holds such values.
protocol LinkingValue {
  /// Throws when that type cannot be stored: asking for its key would end the process.
  static func checkTarget() throws(StoreError)
}

extension Optional: LinkingValue where Wrapped: LinkingValue {
  static func checkTarget() throws(StoreError) { try Wrapped.checkTarget() }
}

extension Array: LinkingValue where Element: LinkingValue {
  static func checkTarget() throws(StoreError) { try Element.checkTarget() }
}

extension Set: LinkingValue where Element: LinkingValue {
  static func checkTarget() throws(StoreError) { try Element.checkTarget() }
}

extension Dictionary: LinkingValue where Value: LinkingValue {
  static func checkTarget() throws(StoreError) { try Value.checkTarget() }
}
