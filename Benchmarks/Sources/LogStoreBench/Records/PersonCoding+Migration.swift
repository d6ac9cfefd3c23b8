extension PersonCoding {
  /// The tag of the joined name, above all others.
  private static let fullNameTag: UInt8 = 15

  /// Writes `old` anew with one name in place of two.
  static func joinNames(_ old: UnsafeRawBufferPointer, into new: inout [UInt8]) {
    var name: [UInt8] = []
    forEachText(of: old) { tag, text, whole in
      if tag > 2 { new.append(contentsOf: whole) }
      if tag == 2 { name.append(UInt8(ascii: " ")) }
      if tag <= 2 { name.append(contentsOf: text) }
    }
    new.append(fullNameTag)
    // Both names together are far below 128 bytes.
    new.append(UInt8(name.count))
    new.append(contentsOf: name)
  }

  static func migratedPerson(_ bytes: UnsafeRawBufferPointer) -> MigratedPerson {
    var person = MigratedPerson()
    forEachText(of: bytes) { tag, text, _ in
      let text = String(decoding: text, as: UTF8.self)
      if tag == fullNameTag {
        person.fullName = text
      } else {
        person[keyPath: MigratedPerson.texts[Int(tag) - 3]] = text
      }
    }
    return person
  }

  private static func forEachText(
    of bytes: UnsafeRawBufferPointer,
    _ body: (
      _ tag: UInt8, _ text: Slice<UnsafeRawBufferPointer>, _ whole: Slice<UnsafeRawBufferPointer>
    ) -> Void
  ) {
    var offset = 0
    while offset < bytes.count {
      let first = offset
      var length = Int(bytes[offset + 1])
      offset += 2
      if length >= 0x80 {
        length = length & 0x7F | Int(bytes[offset]) << 7
        offset += 1
      }
      body(bytes[first], bytes[offset..<(offset + length)], bytes[first..<(offset + length)])
      offset += length
    }
  }
}
