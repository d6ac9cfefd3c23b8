internal import SchemaRegistry

/// What an app sees of an element; the order of sets in it, which is that of each app's own bytes,
/// makes no difference.
indirect enum ElementLook: Hashable {
  case value(Value)
  case members([String: ElementLook])
  case list([ElementLook])
  /// How often each element is there.
  case set([ElementLook: Int])

  /// By what the elements of a list are known is asked by the path of its member, which has this at
  /// its end for each list around the list.
  static let level = "[]"

  /// The path of the list that lies in `level` others, in the member at `path`.
  static func path(_ path: String, level: Int) -> String {
    (0..<level).reduce(path) { path, _ in "\(path).\(Self.level)" }
  }

  /// `sets` are the paths of the sets; `path` is that of the member that has `value`, inside of
  /// `level` lists. With `once`, what is in a set several times counts as once.
  init(_ value: Value, at path: String, level: Int, sets: Set<String>, once: Bool) {
    switch value {
    case _ where sets.isEmpty: self = .value(value)
    case .object(let members):
      var looks: [String: ElementLook] = [:]
      for (name, value) in members {
        looks[name] = ElementLook(value, at: "\(path).\(name)", level: 0, sets: sets, once: once)
      }
      self = .members(looks)
    case .dictionary(let elements):
      self = .members(
        elements.mapValues { ElementLook($0, at: path, level: level, sets: sets, once: once) })
    case .list(let elements):
      let looks = elements.map {
        ElementLook($0, at: path, level: level + 1, sets: sets, once: once)
      }
      guard sets.contains(Self.path(path, level: level)) else {
        self = .list(looks)
        return
      }
      self = .set(Dictionary(looks.map { ($0, 1) }) { once ? 1 : $0 + $1 })
    default: self = .value(value)
    }
  }

  /// Whether a set in it has some elements that look the same.
  var hasRepeats: Bool {
    switch self {
    case .value: false
    case .members(let members): members.values.contains(where: \.hasRepeats)
    case .list(let elements): elements.contains(where: \.hasRepeats)
    case .set(let counts): counts.contains { $0.value > 1 || $0.key.hasRepeats }
    }
  }
}
