import StorageTestSupport

@testable import ObjectStore

extension DrawnVersions {
  /// A member that was given up, and what another one needs to take its place.
  struct GivenUp {
    let member: DrawnModel.Member
    /// The version without it.
    let version: Int
  }

  /// Code says that a member is one that was given up before it came: objects that have that one
  /// still hold its value from now on.
  mutating func restore() {
    guard let index = drawUnchanged() else { return }
    let member = current.members[index]
    let candidates = givenUp.filter { mayBe($0, member) }
    guard let old = candidates.randomElement(using: &random) else { return }
    givenUp.removeAll { $0.member.number == old.member.number }
    steps.append("restore \(old.member.name) as \(member.name) by code")
    code.renames.append(
      DrawnCode.Rename(
        member: old.member.number, version: number, from: old.member.name, to: member.name,
        end: .max, becomes: member.number))
    restored.append((old.member.number, member.number))
  }

  /// Whether nothing but the two members can be meant by what code says of them.
  private func mayBe(_ old: GivenUp, _ member: DrawnModel.Member) -> Bool {
    !code.renames.contains { $0.becomes == member.number }
      && old.version < number && old.version <= added[member.number, default: 0]
      && "\(old.member.type)" == "\(member.type)" && member.embedding == nil
      && names[member.number, default: []].isDisjoint(with: names[old.member.number, default: []])
      && names[member.number, default: []].allSatisfy { isFree($0, where: old.member.number) }
  }

  /// Whether a member may get a name, for what it is that was given up.
  func mayBeCalled(_ name: String, _ member: Int) -> Bool {
    code.renames.allSatisfy { $0.becomes != member || isFree(name, where: $0.member) }
  }

  /// Whether no other member had the name in releases that had the one that was given up, or gets
  /// it by code: which of the two is meant, nobody could tell.
  private func isFree(_ name: String, where old: Int) -> Bool {
    code.renames.allSatisfy { $0.to != name || isRestored($0.member) }
      && code.releases.values.allSatisfy { members in
        !members.contains { $0.number == old }
          || !members.contains { $0.name == name && $0.number != old }
      }
  }

  /// Whether code brought the member back, or made another one of it.
  func isRestored(_ member: Int) -> Bool {
    code.renames.contains { $0.becomes == member || $0.member == member && $0.becomes != nil }
  }

  /// Gives objects what code restored since the last version; `version` is the one in which an
  /// object is stored. Where some still hold it, older ones have what it began with.
  mutating func bringBack(storedIn version: (Int) -> Int) {
    for (old, member) in restored {
      let holding = objects.keys.map(version).filter { stored in
        code.releases[stored, default: []].contains { $0.number == old }
      }
      guard let last = holding.max() else { continue }
      for key in objects.keys where version(key) <= last {
        let value = objects[key]?[old]
        objects[key]?[member] = value
      }
    }
    restored = []
  }
}
