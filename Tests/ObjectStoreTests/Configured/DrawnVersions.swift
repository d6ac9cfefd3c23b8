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
    var description: String { "retypes \(retypes), skips \(skips)" }
  }

  var random: SeededGenerator
  let habits: Habits
  private(set) var current = DrawnModel.Version()
  private(set) var code = DrawnCode()
  /// The number of the current version, once there is one.
  private(set) var number = -1
  /// What objects hold, by their keys and the numbers of members.
  private(set) var objects: [Int: [Int: Value]] = [:]
  /// What was done, for who looks for what went wrong.
  private(set) var steps: [String] = []
  private var memberCount = 0
  /// The members that this version may change: those of the one before, once each.
  private var unchanged: Set<Int> = []
  /// Those that came in versions which the device skipped.
  private var unseen: Set<Int> = []
  /// What members were called, and before, the newest name first.
  private var holders: Set<[String]> = []
  private static let types: [FieldType] = [
    .int64, .string, .optional(.int64), .optional(.string),
  ]
  private static let names = "abcdefg".map { String($0) }

  init(seed: Int, habits: Habits = Habits()) {
    random = SeededGenerator(seed: UInt64(seed))
    self.habits = habits
  }

  /// Draws the next version; its new members are in all objects with their initial values.
  mutating func advance() {
    let before = Set(current.members.map(\.name))
    unchanged = Set(current.members.map(\.number))
    number += 1
    steps.append("version \(number)")
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      switch Int.random(in: 0..<(habits.retypes ? 13 : 10), using: &random) {
      case 0..<4: add(otherThan: before)
      case 4: remove()
      case 5, 6: rename(otherThan: before, reuses: false)
      case 7, 8: rename(otherThan: before, reuses: true)
      case 9: changeInitialValue()
      default: retype()
      }
    }
    if current.members.isEmpty { add(otherThan: before) }
  }

  /// The device gets the current version; members that came since the last one are new to it.
  mutating func see() {
    steps.append("seen")
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
    for member in current.members {
      let value = value(of: member.type)
      object.values[member.name] = value
      objects[key]?[member.number] = value
    }
    return object
  }

  private mutating func value(of type: FieldType) -> Value {
    if type.isOptional, Int.random(in: 0..<4, using: &random) == 0 { return .null }
    let number = Int.random(in: 0..<1000, using: &random)
    if case .string = type.unwrapped { return .string("\(number)") }
    return .int(Int64(number))
  }

  private mutating func add(_ name: String) {
    let type = Self.types[Int.random(in: 0..<4, using: &random)]
    let initial = value(of: type)
    current.formerNames[name] = nil
    current.members.append(
      DrawnModel.Member(name: name, type: type, initial: initial, number: memberCount))
    unseen.insert(memberCount)
    holders.insert([name])
    memberCount += 1
    steps.append("add \(name): \(type) = \(initial)")
  }

  /// A name that nothing has, and nothing had in the version before, for a member that was called
  /// `former`.
  ///
  /// Of two members of the same names a device that skips releases may see the first and then the
  /// second, and nobody can tell that it is another one; nor where one says more of before.
  private mutating func freeName(otherThan names: Set<String>, former: [String] = []) -> String? {
    let used = names.union(current.members.map(\.name))
    let free = Self.names.filter { name in
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
  private mutating func drawUnchanged() -> Int? {
    let known = current.members.indices.filter { unchanged.contains(current.members[$0].number) }
    guard let index = known.randomElement(using: &random) else { return nil }
    unchanged.remove(current.members[index].number)
    return index
  }

  private mutating func remove() {
    guard let index = drawUnchanged() else { return }
    let name = current.members.remove(at: index).name
    current.formerNames[name] = nil
    steps.append("remove \(name)")
  }

  private mutating func rename(otherThan names: Set<String>, reuses: Bool) {
    guard let index = drawUnchanged() else { return }
    let member = current.members[index]
    let former = [member.name] + current.formerNames[member.name, default: []]
    guard let name = freeName(otherThan: names, former: former) else { return }
    steps.append("rename \(member.name) to \(name)")
    current.members[index].name = name
    current.formerNames[member.name] = nil
    current.formerNames[name] = former
    holders.insert([name] + former)
    if reuses, !habits.skips || !isTaken([member.name]) { add(member.name) }
  }

  private mutating func changeInitialValue() {
    guard let index = drawUnchanged() else { return }
    current.members[index].initial = value(of: current.members[index].type)
    steps.append("begin \(current.members[index].name) with \(current.members[index].initial)")
  }

  private mutating func retype() {
    guard let index = drawUnchanged() else { return }
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
