extension PersonCoding {
  /// The tag of the joined name, above all others.
  private static let fullNameTag: UInt8 = 15

  /// What a person takes at most: a tag and two bytes of length before each text, which has less
  /// than 16 KiB.
  static let byteCountMaximum = 15 * (3 + 1 << 14)

  /// Writes `old` with one name in place of two into `new`, and returns how long that is; nothing
  /// when `old` has one name already. Both names are the first texts; what follows them stays.
  static func joinNames(
    _ old: UnsafeRawBufferPointer, into new: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard old.count > 2, old[0] == 1 else { return nil }
    // Both names together are far below 128 bytes.
    let firstEnd = 2 + Int(old[1])
    let lastEnd = firstEnd + 2 + Int(old[firstEnd + 1])
    precondition(
      old[firstEnd] == 2 && lastEnd - 3 < 0x80, "a person must have two short names")
    let tail = old[lastEnd...]
    new.copyMemory(from: UnsafeRawBufferPointer(rebasing: tail))
    new[tail.count] = fullNameTag
    new[tail.count + 1] = UInt8(lastEnd - 3)
    let name = UnsafeMutableRawBufferPointer(rebasing: new[(tail.count + 2)...])
    name.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[2..<firstEnd]))
    name[firstEnd - 2] = UInt8(ascii: " ")
    UnsafeMutableRawBufferPointer(rebasing: name[(firstEnd - 1)...])
      .copyMemory(from: UnsafeRawBufferPointer(rebasing: old[(firstEnd + 2)..<lastEnd]))
    return old.count - 1
  }

  static func migratedPerson(_ bytes: UnsafeRawBufferPointer) -> MigratedPerson {
    var person = MigratedPerson()
    forEachText(of: bytes) { tag, text in
      let text = String(decoding: text, as: UTF8.self)
      if tag == fullNameTag {
        person.fullName = text
      } else if tag > 2 {
        person[keyPath: MigratedPerson.texts[Int(tag) - 3]] = text
      }
    }
    return person
  }

  private static func forEachText(
    of bytes: UnsafeRawBufferPointer,
    _ body: (_ tag: UInt8, _ text: Slice<UnsafeRawBufferPointer>) -> Void
  ) {
    var offset = 0
    while offset < bytes.count {
      let tag = bytes[offset]
      var length = Int(bytes[offset + 1])
      offset += 2
      if length >= 0x80 {
        length = length & 0x7F | Int(bytes[offset]) << 7
        offset += 1
      }
      body(tag, bytes[offset..<(offset + length)])
      offset += length
    }
  }
}
