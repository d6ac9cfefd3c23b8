import SchemaRegistry
import StorageTestSupport

@testable import ObjectStore

/// Versions of a model as a developer makes them, drawn from a seed, and what objects hold in each.
struct DrawnVersions {
  /// What a developer does in releases, and a device with them.
  struct Habits: CustomStringConvertible {
    /// Whether members become other types, by code that a later release may drop.
    var retypes = false
    /// Whether the device skips releases.
    var skips = false
    /// Whether code says that members have other names, too.
    var blocks = false
    /// Whether members hold embedded objects, which get and lose members.
    var embeds = false
    /// Whether code brings back what was given up.
    var restores = false
    var description: String {
      "retypes \(retypes), skips \(skips), blocks \(blocks), embeds \(embeds), "
        + "restores \(restores)"
    }
  }

  var random: SeededGenerator
  let habits: Habits
  var current = DrawnModel.Version()
  var code = DrawnCode()
  /// The number of the current version, once there is one.
  private(set) var number = -1
  /// What objects hold, by their keys and the numbers of members.
  var objects: [Int: [Int: Value]] = [:]
  /// The versions in which objects were put, by their keys.
  private(set) var putVersions: [Int: Int] = [:]
  /// What was done, for who looks for what went wrong.
  var steps: [String] = []
  var memberCount = 0
  /// The members that this version may change: those of the one before, once each.
  private var unchanged: Set<Int> = []
  var unchangedInside: Set<Int> = []
  /// What members inside were called in the version before.
  var namesInside: Set<String> = []
  /// Those that came in versions which the device skipped.
  private var unseen: Set<Int> = []
  /// What members were called, and before, the newest name first.
  private var holders: Set<[String]> = []
  static let types: [FieldType] = [
    .int64, .string, .optional(.int64), .optional(.string),
  ]
  /// What members inside of embedded objects were called.
  var insideHolders: Set<String> = []
  /// What came inside in versions that the device skipped.
  var unseenInside: Set<Int> = []
  var givenUp: [GivenUp] = []
  /// Members that code made of ones that were given up, since objects were looked at.
  var restored: [(old: Int, member: Int)] = []
  /// All names that members have had, and the versions in which they came, by their numbers.
  private(set) var names: [Int: Set<String>] = [:]
  private(set) var added: [Int: Int] = [:]

  init(seed: Int, habits: Habits = Habits()) {
    random = SeededGenerator(seed: UInt64(seed))
    self.habits = habits
    // A device that skips releases may not know the names.
    code.keepsParts = !habits.skips && seed % 2 == 0
  }

  /// Draws the next version; its new members are in all objects with their initial values.
  mutating func advance() {
    let before = Set(current.members.map(\.name))
    unchanged = Set(current.members.map(\.number))
    number += 1
    steps.append("version \(number)")
    unchangedInside = Set(current.inside.map(\.number))
    namesInside = Set(current.inside.map(\.name))
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      if habits.embeds, Bool.random(using: &random) { changeInside() }
      if habits.restores, Bool.random(using: &random) { restore() }
      switch Int.random(in: 0..<(habits.retypes ? 14 : 11), using: &random) {
      case 0..<4: add(otherThan: before)
      case 4: remove()
      case 5, 6: rename(otherThan: before, reuses: false)
      case 7, 8: rename(otherThan: before, reuses: true)
      case 9: changeInitialValue()
      case 10: exchange()
      default: retype()
      }
    }
    if current.members.isEmpty { add(otherThan: before) }
    for index in current.members.indices { describe(&current.members[index]) }
    code.releases[number] = current.members
  }

  /// What a member that holds embedded objects is and begins with in this version.
  private func describe(_ member: inout DrawnModel.Member) {
    guard let embedding = member.embedding else { return }
    let type = FieldType.object(current.inside.map { MemberShape($0.name, $0.type) })
    let initial = Value.object(
      Dictionary(current.inside.map { ($0.name, $0.initial) }) { first, _ in first })
    (member.type, member.initial) =
      switch embedding {
      case .one: (type, initial)
      case .optional: (.optional(type), .null)
      case .list: (.list(type), .list([]))
      }
  }

  /// The device gets the current version; members that came since the last one are new to it.
  mutating func see() {
    steps.append("seen")
    for member in current.inside where unseenInside.contains(member.number) {
      changeEmbedded { members in members[member.name] = member.initial }
    }
    unseenInside = []
    for member in current.members where unseen.contains(member.number) {
      for key in objects.keys { objects[key]?[member.number] = member.initial }
      code.begin(member, in: number)
    }
    unseen = []
    code.versions[number] = current.members
  }

  /// What an object holds, by the names of the version.
  func expected(_ key: Int) -> [String: Value] {
    Dictionary(
      current.members.map { ($0.name, objects[key]?[$0.number] ?? .null) }
    ) { first, _ in first }
  }

  /// An object with drawn values, under a key.
  mutating func put(_ key: Int) -> DrawnModel {
    var object = DrawnModel()
    object.id = key
    objects[key] = [:]
    putVersions[key] = number
    for member in current.members {
      let value = value(of: member.type)
      object.set(member, to: value)
      objects[key]?[member.number] = value
    }
    return object
  }

  mutating func value(of type: FieldType) -> Value {
    if type.isOptional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
    switch type.unwrapped {
    case .object(let members):
      var values: [String: Value] = [:]
      for member in members { values[member.name] = value(of: member.type) }
      return .object(values)
    case .list(let element):
      let count = Int.random(in: 0...2, using: &random)
      return .list((0..<count).map { _ in value(of: element) })
    case .string: return .string("\(Int.random(in: 0..<1000, using: &random))")
    default: return .int(Int64.random(in: 0..<1000, using: &random))
    }
  }

  private mutating func add(_ name: String) {
    let type = Self.types[Int.random(in: 0..<4, using: &random)]
    var member = DrawnModel.Member(
      name: name, type: type, initial: value(of: type), number: memberCount, embedding: nil)
    if habits.embeds, Bool.random(using: &random) {
      member.embedding = DrawnModel.Embedding.allCases.randomElement(using: &random)
      describe(&member)
    }
    current.formerNames[name] = nil
    current.members.append(member)
    unseen.insert(memberCount)
    (names[memberCount], added[memberCount]) = ([name], number)
    holders.insert([name])
    memberCount += 1
    steps.append("add \(name): \(member.type) = \(member.initial)")
  }

  /// A name that nothing has, and nothing had in the version before, for a member that was called
  /// `former`.
  ///
  /// Of two members of the same names a device that skips releases may see the first and then the
  /// second, and nobody can tell that it is another one; nor where one says more of before.
  private mutating func freeName(otherThan names: Set<String>, former: [String] = []) -> String? {
    let used = names.union(current.members.map(\.name))
    let free = DrawnModel.names.filter { name in
      !used.contains(name) && (!habits.skips || !isTaken([name] + former))
    }
    return free.randomElement(using: &random)
  }

  private func isTaken(_ names: [String]) -> Bool {
    holders.contains { $0.starts(with: names) || names.starts(with: $0) }
  }

  private mutating func add(otherThan names: Set<String>) {
    if let name = freeName(otherThan: names) { add(name) }
  }

  /// The place of a member that was not changed yet.
  mutating func drawUnchanged() -> Int? {
    let known = current.members.indices.filter { unchanged.contains(current.members[$0].number) }
    guard let index = known.randomElement(using: &random) else { return nil }
    unchanged.remove(current.members[index].number)
    return index
  }

  private mutating func remove() {
    guard let index = drawUnchanged() else { return }
    let member = current.members.remove(at: index)
    givenUp.append(GivenUp(member: member, version: number))
    current.formerNames[member.name] = nil
    steps.append("remove \(member.name)")
  }

  private mutating func rename(otherThan names: Set<String>, reuses: Bool) {
    guard let index = drawUnchanged() else { return }
    let old = current.members[index].name
    let isByBlock = drawIsByBlock([index])
    let former = formerNames(of: old, isByBlock: isByBlock)
    guard let name = freeName(otherThan: names, former: former),
      mayBeCalled(name, current.members[index].number)
    else { return }
    current.formerNames[old] = nil
    rename(index, to: name, former: former, isByBlock: isByBlock)
    if reuses, !habits.skips || !isTaken([old]) { add(old) }
  }

  /// Whether code says the next rename of members, and not the model.
  private mutating func drawIsByBlock(_ indices: [Int]) -> Bool {
    guard habits.blocks else { return false }
    // What a device that skips releases learns from code, which goes first, goes on in code.
    let isKnown = indices.contains { code.renames(current.members[$0].number) }
    return habits.skips && isKnown || Bool.random(using: &random)
  }

  /// What a model says that the member of a name was called, once it is renamed.
  private func formerNames(of name: String, isByBlock: Bool) -> [String] {
    (isByBlock ? [] : [name]) + current.formerNames[name, default: []]
  }

  private mutating func rename(
    _ index: Int, to name: String, former: [String], isByBlock: Bool
  ) {
    let old = current.members[index].name
    steps.append("rename \(old) to \(name)\(isByBlock ? " by code" : "")")
    if isByBlock {
      // A device that skips releases has nothing else to know it from.
      let staysInCode = habits.skips || isRestored(current.members[index].number)
      let end = staysInCode ? Int.max : number + 1 + number % 4
      code.renames.append(
        DrawnCode.Rename(
          member: current.members[index].number, version: number, from: old, to: name, end: end))
    }
    current.members[index].name = name
    self.names[current.members[index].number, default: []].insert(name)
    current.formerNames[name] = former.isEmpty ? nil : former
    holders.insert([name] + former)
  }

  /// Two members get the names of one another.
  private mutating func exchange() {
    guard let first = drawUnchanged(), let second = drawUnchanged() else { return }
    let isByBlock = drawIsByBlock([first, second])
    let names = [first, second].map { current.members[$0].name }
    let former = names.map { formerNames(of: $0, isByBlock: isByBlock) }
    if habits.skips, isTaken([names[1]] + former[0]) || isTaken([names[0]] + former[1]) { return }
    guard mayBeCalled(names[1], current.members[first].number),
      mayBeCalled(names[0], current.members[second].number)
    else { return }
    // What a model said of a name already it cannot say of another member, nor what happened to it
    // by code.
    let isSaid = [0, 1].contains { index in
      current.formerNames[names[1 - index], default: []].starts(with: former[index])
        || code.renames.contains { rename in
          rename.member == current.members[[second, first][index]].number
            && rename.from == names[index]
        }
    }
    if isSaid, !isByBlock { return }
    rename(first, to: names[1], former: former[0], isByBlock: isByBlock)
    rename(second, to: names[0], former: former[1], isByBlock: isByBlock)
  }

  private mutating func changeInitialValue() {
    guard let index = drawUnchanged(), current.members[index].embedding == nil else { return }
    current.members[index].initial = value(of: current.members[index].type)
    steps.append("begin \(current.members[index].name) with \(current.members[index].initial)")
  }

  private mutating func retype() {
    guard let index = drawUnchanged(), current.members[index].embedding == nil else { return }
    let before = current.members[index]
    // Where code is dropped, a device that skips releases sees no change back.
    let earlier = habits.skips ? code.changes[before.number, default: []].map(\.from) : []
    let types = Self.types.filter { type in
      !(earlier + [before.type]).contains { "\($0)" == "\(type)" }
    }
    guard let type = types.randomElement(using: &random) else { return }
    current.members[index].type = type
    current.members[index].initial = value(of: type)
    let change = DrawnCode.Change(
      version: number, from: before.type, to: type, fill: current.members[index].initial,
      end: number + Int.random(in: 1...4, using: &random))
    code.changes[before.number, default: []].append(change)
    for key in objects.keys {
      if let value = objects[key]?[before.number] {
        objects[key]?[before.number] = change.value(of: value)
      }
    }
    steps.append("make \(before.name) \(type), from \(before.type), until \(change.end)")
  }
}
