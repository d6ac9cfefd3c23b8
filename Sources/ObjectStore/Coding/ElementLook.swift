internal import SchemaRegistry

/// What an app sees of an element; the order of sets in it, which is that of each app's own bytes,
/// makes no difference.
indirect enum ElementLook: Hashable {
  case value(Value)
  case members([String: ElementLook])
  case list([ElementLook])
  /// How often each element is there.
  case set([ElementLook: Int])

  /// What the path of lists in lists has for each level.
  static let level = "[]"

  /// `sets` are the paths of the sets; `path` is that of `value`.
  init(_ value: Value, at path: String, sets: Set<String>) {
    switch value {
    case _ where sets.isEmpty: self = .value(value)
    case .object(let members):
      var looks: [String: ElementLook] = [:]
      for (name, value) in members {
        looks[name] = ElementLook(value, at: "\(path).\(name)", sets: sets)
      }
      self = .members(looks)
    case .dictionary(let elements):
      self = .members(elements.mapValues { ElementLook($0, at: path, sets: sets) })
    case .list(let elements):
      let looks = elements.map { element in
        switch element {
        case .list, .dictionary: ElementLook(element, at: "\(path).\(Self.level)", sets: sets)
        default: ElementLook(element, at: path, sets: sets)
        }
      }
      guard sets.contains(path) else {
        self = .list(looks)
        return
      }
      self = .set(Dictionary(looks.map { ($0, 1) }, uniquingKeysWith: +))
    default: self = .value(value)
    }
  }
}
