/// What the values of a member mean beside their type, while operations run and afterwards.
struct KnownMeaning: Equatable {
  enum Link: Equatable {
    /// The target is looked up when the version ends, as types may be declared in any order.
    case pending(operationID: String, target: String)
    case to(TypeIdentity)

    static func == (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.pending(_, let left), .pending(_, let right)): left == right
      case (.to(let left), .to(let right)): left == right
      default: false
      }
    }
  }

  /// Whose keys the member holds.
  var link: Link?
  /// The values that it may have.
  var cases: [Value]?
  /// The same for members of the embedded object that it is, or of each one that it holds; none
  /// that say nothing.
  var inside: [String: KnownMeaning] = [:]

  var isEmpty: Bool { link == nil && cases == nil && inside.isEmpty }

  /// The type whose keys the member itself holds.
  var linksTo: TypeIdentity? {
    if case .to(let target)? = link { target } else { nil }
  }

  /// Every link in it, by the names that lead there; none for the member itself.
  var links: [(path: [String], found: TypeIdentity)] { collect(\.linksTo) }

  /// All cases in it, by the names that lead there.
  var caseLists: [(path: [String], found: [Value])] { collect(\.cases) }

  private func collect<Found>(
    _ own: (KnownMeaning) -> Found?
  ) -> [(path: [String], found: Found)] {
    var all = own(self).map { [(path: [String](), found: $0)] } ?? []
    for (name, meaning) in inside.sorted(by: { $0.key < $1.key }) {
      all += meaning.collect(own).map { (path: [name] + $0.path, found: $0.found) }
    }
    return all
  }

  /// Takes away links to `type`.
  mutating func removeLinks(to type: TypeIdentity) {
    if link == .to(type) { link = nil }
    for name in inside.keys { inside[name]?.removeLinks(to: type) }
  }
}

extension MemberMeaning {
  /// What is known, as it is declared in a schema where types are called as in `shape`.
  init(_ known: KnownMeaning, in shape: SchemaShape) {
    self.init(
      linksTo: known.linksTo.map { shape.type($0)?.name ?? $0.originalName }, cases: known.cases,
      inside: known.inside.mapValues { MemberMeaning($0, in: shape) })
  }
}

extension [String: KnownMeaning] {
  /// Those of `members` that say something, by name.
  init(of members: [TypeState.Member]) {
    self.init(
      members.filter { !$0.meaning.isEmpty }.map { ($0.name, $0.meaning) },
      uniquingKeysWith: { first, _ in first })
  }
}
