/// What an expression calls its inputs, and where each lies among them.
///
/// Few names are compared one after the other, which is faster than a table. Of many, what a store
/// or a history tells may have as many parts that look for one.
struct InputNames: Hashable, Sendable {
  /// So many are found as fast by comparing them.
  private static let comparedCount = 8

  private let names: [String]
  /// Nothing where there are few.
  private let places: [String: Int]?

  init(_ names: [String]) {
    self.names = names
    if names.count > Self.comparedCount {
      places = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
    } else {
      places = nil
    }
  }

  /// The first place of a name.
  subscript(name: String) -> Int? {
    if let places { return places[name] }
    return names.firstIndex(of: name)
  }
}
