/// A value that means an object of another type.
protocol LinkingValue {
  /// Throws when that type cannot be stored: asking for its key would end the process.
  static func checkTarget() throws(StoreError)
}
