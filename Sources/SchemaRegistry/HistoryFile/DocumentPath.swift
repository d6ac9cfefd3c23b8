/// The way to a place in a history file, from the top.
///
/// Each place holds the step to it and the way before that: texts of all places would take memory
/// in the product of the number of elements and the length of the keys around them.
indirect enum DocumentPath {
  case top
  case key(String, of: DocumentPath)
  case element(Int, of: DocumentPath)

  /// As in `versions[2].changes[0]`; made where an error needs it. Keys may be anything, and are
  /// cut.
  var text: String {
    switch self {
    case .top: ""
    case .key(let key, of: .top): Self.cut(key)
    case .key(let key, let parent): "\(parent.text).\(Self.cut(key))"
    case .element(let index, let parent): "\(parent.text)[\(index)]"
    }
  }

  /// By scalars: one character may have any number of them.
  static func cut(_ key: String) -> String { String(key.unicodeScalars.prefix(80)) }
}
