/// A key of a dictionary on the way to a coded value. It is a value as well: types see it in the
/// path, and errors of the store do not tell it.
struct DictionaryKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ key: any CodingKey) {
    stringValue = key.stringValue
    intValue = key.intValue
  }

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
