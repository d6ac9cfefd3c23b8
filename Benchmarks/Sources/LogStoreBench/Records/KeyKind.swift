import ArgumentParser

/// What the keys of a record file are.
enum KeyKind: String, Codable, CaseIterable, ExpressibleByArgument {
  /// Eight bytes, most significant first, ascending in the order of the records; all even.
  case integer
  /// Sixteen random bytes; the last one is even.
  case uuid
  /// Texts of a file that the user gave.
  case text

  /// Turns a key that is there into one of its kind that is not.
  func makeMissing(_ key: inout [UInt8]) {
    switch self {
    case .integer, .uuid: key[key.count - 1] |= 1
    case .text: key.append(0xFF)
    }
  }
}
