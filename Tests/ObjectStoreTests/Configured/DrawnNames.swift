import StorageTestSupport

@testable import ObjectStore

/// Releases of an app whose blocks say names, whoever has them in objects of older versions, drawn
/// from a seed. All members are texts.
struct DrawnNames {
  /// What a developer does in releases besides adding, removing and renaming members.
  struct Habits: CustomStringConvertible {
    /// Whether parts of blocks are dropped once they are older.
    var drops = false
    /// Whether two members exchange names.
    var exchanges = false
    /// Whether parts bring back what was given up.
    var restores = false
    /// Whether a rename is forgotten, and said by a later build of the version.
    var forgets = false
    var description: String {
      "drops \(drops), exchanges \(exchanges), restores \(restores), forgets \(forgets)"
    }
  }

  /// A member, which keeps its number whatever it is called.
  struct Member {
    let number: Int
    var name: String
  }

  struct Part {
    /// The version that says it, and the first one of which it says nothing.
    let version: Int
    let end: Int
    let from: String
    let to: String
  }

  private var random: SeededGenerator
  private let habits: Habits
  private(set) var number = 0
  private(set) var members: [Member] = []
  private(set) var parts: [Part] = []
  /// The numbers of members for which parts of this version bring something back.
  private(set) var restored: Set<Int> = []
  /// The members that a part of this build says others were, by their numbers, and the numbers of
  /// those.
  private(set) var remembered: [Int: Int] = [:]
  /// Whether a part of any version so far brings back what was given up on purpose. What it says of
  /// names may be what a member was that is said to be another one later.
  private(set) var hasRestored = false
  /// What was done, for who looks for what went wrong.
  private(set) var steps: [String] = []
  /// What members the versions have.
  private var releases: [Int: [Member]] = [:]
  private var givenUp: [(member: Member, version: Int)] = []
  /// Renames without a word, with the numbers of the members that were and are.
  private var forgotten: [(part: Part, old: Int, new: Int)] = []
  /// Renames that bring something back.
  private var restoring: [(from: String, to: String)] = []
  private var memberCount = 0
  /// The places of members that this version may change, once each, by their numbers.
  private var unchanged: Set<Int> = []
  private var namesBefore: Set<String> = []
  private static let names = DrawnModel.names[..<4]

  init(seed: Int, habits: Habits) {
    random = SeededGenerator(seed: UInt64(seed))
    self.habits = habits
  }

  /// The models of the version.
  var model: DrawnModel.Version {
    DrawnModel.Version(
      members: members.map { member in
        DrawnModel.Member(
          name: member.name, type: .string, initial: Self.initial(member.number),
          number: member.number, embedding: nil)
      })
  }

  /// What a member begins with.
  static func initial(_ member: Int) -> Value { .string("initial \(member)") }

  var block: Store.Configuration.MigrationClosure {
    { [parts] migration, old in
      for part in parts where Int(old) < part.end {
        migration.renameProperty(onType: "Drawn", from: part.from, to: part.to)
      }
    }
  }

  func has(_ member: Int, in version: Int) -> Bool {
    releases[version, default: []].contains { $0.number == member }
  }

  /// Draws the next version.
  mutating func advance() {
    number += 1
    steps.append("version \(number)")
    (restored, remembered, forgotten) = ([], [:], [])
    unchanged = Set(members.map(\.number))
    namesBefore = Set(members.map(\.name))
    var own: [Part] = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<6: add()
      case 6..<9: remove()
      case 9..<15: own += rename()
      case 15..<17 where habits.exchanges: own += exchange()
      default: if habits.restores { restore() }
      }
    }
    if habits.drops, Int.random(in: 0..<3, using: &random) == 0 {
      let first = Int.random(in: 1...number, using: &random)
      parts.removeAll { $0.version < first }
      steps.append("drop parts of versions before \(first)")
    }
    // The renames of a version come last in its block.
    parts += own
    if members.isEmpty { add() }
    releases[number] = members
  }

  /// A later build of the version says what the first one forgot.
  mutating func remember() {
    (restored, remembered) = ([], [:])
    for (part, old, new) in forgotten {
      parts.append(part)
      restored.insert(new)
      remembered[new] = old
      steps.append("say that \(part.from) is \(part.to)")
    }
    forgotten = []
  }

  private mutating func freeName() -> String? {
    let used = namesBefore.union(members.map(\.name))
    return Self.names.filter { !used.contains($0) }.randomElement(using: &random)
  }

  private mutating func drawUnchanged() -> Int? {
    let known = members.indices.filter { unchanged.contains(members[$0].number) }
    guard let index = known.randomElement(using: &random) else { return nil }
    unchanged.remove(members[index].number)
    return index
  }

  private mutating func add() {
    guard let name = freeName() else { return }
    memberCount += 1
    members.append(Member(number: memberCount, name: name))
    steps.append("add \(name)")
  }

  private mutating func remove() {
    guard let index = drawUnchanged() else { return }
    let member = members.remove(at: index)
    givenUp.append((member, number))
    steps.append("remove \(member.name)")
  }

  private mutating func rename() -> [Part] {
    guard let index = drawUnchanged(), let name = freeName() else { return [] }
    let part = Part(version: number, end: number, from: members[index].name, to: name)
    // The part would exchange names with the one before.
    if restoring.contains(where: { $0 == (name, part.from) }) { return [] }
    steps.append("rename \(part.from) to \(name)")
    members[index].name = name
    guard habits.forgets, Int.random(in: 0..<3, using: &random) == 0 else { return [part] }
    // Until it is said, it is another one.
    memberCount += 1
    forgotten.append((part: part, old: members[index].number, new: memberCount))
    members[index] = Member(number: memberCount, name: name)
    restoring.append((part.from, name))
    steps.append("without a word")
    return []
  }

  private mutating func exchange() -> [Part] {
    guard let first = drawUnchanged(), let second = drawUnchanged() else { return [] }
    let names = (members[first].name, members[second].name)
    (members[first].name, members[second].name) = (names.1, names.0)
    steps.append("exchange \(names)")
    return [
      Part(version: number, end: number, from: names.0, to: names.1),
      Part(version: number, end: number, from: names.1, to: names.0),
    ]
  }

  /// A part says that a member is one that was given up, in versions before it was.
  private mutating func restore() {
    guard let index = drawUnchanged() else { return }
    let member = members[index]
    let old = givenUp.filter { old in
      old.version < number && !members.contains { $0.name == old.member.name }
        && !parts.contains { $0.from == member.name && $0.to == old.member.name }
    }.randomElement(using: &random)
    guard let old else { return }
    givenUp.removeAll { $0.member.number == old.member.number }
    parts.append(
      Part(version: number, end: old.version, from: old.member.name, to: member.name))
    restored.insert(member.number)
    hasRestored = true
    restoring.append((old.member.name, member.name))
    steps.append("restore \(old.member.name) as \(member.name) before \(old.version)")
  }
}
