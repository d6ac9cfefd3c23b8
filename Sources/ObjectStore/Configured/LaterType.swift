internal import SchemaRegistry

/// A type in a version after the one whose objects are looked at.
struct LaterType {
  private let type: TypeShape
  /// What a block calls its members, of objects of that version; nothing where it was not asked.
  private let renamed: RenamedMembers?

  init(
    _ type: TypeShape, renames: [(from: String, to: String)]?, isWanted: (String) -> Bool
  ) {
    self.type = type
    renamed = renames.map {
      RenamedMembers(type.members.map(\.name), renames: $0, isWanted: isWanted)
    }
  }

  /// Whether the block was asked, and does not end with the last renames of a way any more.
  func isBehind(_ rest: [(from: String, to: String)], on way: [String]) -> Bool {
    renamed.map { !$0.ends(with: rest, on: way) } ?? false
  }

  /// What it calls a member; see ``TypeShape/newestMember(_:)``.
  func member(_ age: (MemberIdentity) -> Int?) -> String? { type.newestMember(age)?.name }

  /// The member that has a name in that version.
  func identity(of member: String) -> MemberIdentity? {
    type.members.first { $0.name == member }?.identity
  }

  /// Where on a way of names a member of it stands that the block leads on: so many are left for
  /// that to give.
  func place(of member: String, on way: [String]) -> Int? {
    guard let given = renamed?.given[member], let end = way.last,
      let left = ([member] + given).lastIndex(of: end)
    else { return nil }
    let place = way.count - 1 - left
    return place >= 0 && way[place] == member ? place : nil
  }
}
