/// Persons as bytes: for each member that is not empty its tag, its length and its UTF-8.
///
///     offset  size  field
///          0     1  tag       1 and up, in ascending order
///          1   1-2  length    of the value; seven bits a byte, the lowest first
///          …     …  value
enum PersonCoding {
  static func append(_ person: Person, to bytes: inout [UInt8]) {
    for (index, text) in Person.texts.enumerated() {
      let value = person[keyPath: text].utf8
      guard !value.isEmpty else { continue }
      bytes.append(UInt8(index + 1))
      if value.count >= 0x80 { bytes.append(UInt8(value.count & 0x7F | 0x80)) }
      bytes.append(UInt8(value.count < 0x80 ? value.count : value.count >> 7))
      bytes.append(contentsOf: value)
    }
  }
}
