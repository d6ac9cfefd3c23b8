internal import SchemaRegistry

extension TypeShape {
  /// The member that is meant: of two side by side that are one by what is recorded, the newer one
  /// is it, in whatever order they are declared.
  ///
  /// `age` tells how many members ago it was that one; nothing of those that are not meant.
  func newestMember(_ age: (MemberIdentity) -> Int?) -> MemberShape? {
    members
      .compactMap { member in age(member.identity).map { (age: $0, member: member) } }
      .min { $0.age < $1.age }?.member
  }
}
