internal import SchemaRegistry

/// Where an object is in a container: the keys of dictionaries that lead to it, and what tells it
/// apart in a list.
struct ObjectPlace: Hashable {
  let names: [String]
  let key: Value?
}

/// Which of several containers have an object where another one has: all others have nothing that
/// could come from it.
struct PairCandidates {
  private var byPlace: [ObjectPlace: [Int]] = [:]
  /// Those of which only a comparison tells.
  private var others: [Int] = []
  private let count: Int

  /// `places` are those of each container; nothing where only a comparison tells.
  init(_ places: [Set<ObjectPlace>?]) {
    count = places.count
    for (index, found) in places.enumerated() {
      guard let found else {
        others.append(index)
        continue
      }
      for place in found { byPlace[place, default: []].append(index) }
    }
  }

  /// Ascending.
  func indexes(sharing places: Set<ObjectPlace>?) -> [Int] {
    guard let places else { return Array(0..<count) }
    var found = Set(others)
    for place in places { found.formUnion(byPlace[place] ?? []) }
    return found.sorted()
  }
}
