/// A key of a dictionary on the way to a coded value. It is a value as well: types see it in the
/// path, and errors of the store do not tell it.
///
/// An error type of the app's own that wraps an error of decoding may print its path, and this in
/// it: what such an error says is the app's.
struct DictionaryKey: CodingKey {
  let stringValue: String
  let intValue: Int?
  var description: String { "*" }
  var debugDescription: String { "*" }

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
