/// Which objects of one type and version were given what only a migration block that runs at open
/// knows; see ``NeededMember``.
///
/// A bit for each object and member, by the object's place in the walk, so that a block may set
/// them in several calls of `enumerateObjects`.
struct NeededValues {
  private let members: [NeededMember]
  /// For each member, the objects that have it.
  private var places: [[UInt64]]

  init(_ members: [NeededMember]) {
    self.members = members
    places = Array(repeating: [], count: members.count)
  }

  /// Notes that `changed` was set in the object at `place`.
  mutating func note(_ changed: Set<String>, at place: Int) {
    for (index, member) in members.enumerated() where changed.contains(member.name) {
      insert(place, index)
    }
  }

  /// Notes that the object at `place` is gone: what has its key from now on is another one.
  mutating func settle(_ place: Int) {
    for index in members.indices { insert(place, index) }
  }

  /// The first member that the object at `place` lacks, but for those that it has without code.
  func missing(
    at place: Int, unless isKept: (NeededMember) throws -> Bool
  ) rethrows -> NeededMember? {
    let (word, bit) = place.quotientAndRemainder(dividingBy: 64)
    for (index, member) in members.enumerated() {
      if word < places[index].count, places[index][word] >> UInt64(bit) & 1 == 1 { continue }
      if try !isKept(member) { return member }
    }
    return nil
  }

  private mutating func insert(_ place: Int, _ index: Int) {
    let (word, bit) = place.quotientAndRemainder(dividingBy: 64)
    while places[index].count <= word { places[index].append(0) }
    places[index][word] |= 1 << UInt64(bit)
  }
}
