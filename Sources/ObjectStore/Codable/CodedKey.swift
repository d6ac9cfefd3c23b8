/// A place in a list, or a name, on the way to a coded value.
struct CodedKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

extension [any CodingKey] {
  /// The names of members that lead to a value. Those may be numbers, too; places in lists are no
  /// names, and keys of dictionaries are values.
  var memberNames: [String] {
    filter { key in !(key is DictionaryKey) && (key as? CodedKey)?.intValue == nil }
      .map(\.stringValue)
  }
}
