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
    /// Whether names are used again only where models can say it, which is for the first name of a
    /// member that stays: nobody can tell more of releases that were skipped, or where code
    /// answers.
    var isPlain: Bool { retypes || skips }
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
  private var usedNames: Set<String> = []
  /// Those that a member gave up for a new one.
  private var reusedNames: Set<String> = []
  private static let types: [FieldType] = [
    .int64, .string, .optional(.int64), .optional(.string),
  ]
  private static let names = "abcdefghijkl".map { String($0) }

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
    memberCount += 1
    steps.append("add \(name): \(type) = \(initial)")
  }

  private mutating func freeName(otherThan names: Set<String>) -> String? {
    let used = names.union(current.members.map(\.name)).union(habits.isPlain ? usedNames : [])
    let free = (habits.isPlain ? Self.names : Array(Self.names.prefix(5))).filter {
      !used.contains($0)
    }
    guard let name = free.randomElement(using: &random) else { return nil }
    usedNames.insert(name)
    return name
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
    if habits.isPlain, reusedNames.contains(where: names(of: current.members[index]).contains) {
      return
    }
    var name: String? = current.members.remove(at: index).name
    steps.append("remove \(name ?? "")")
    // What a member was called is said at the member, and of another one at that.
    while let known = name, !current.members.contains(where: { $0.name == known }) {
      name = current.formerNames.removeValue(forKey: known)
    }
  }

  private mutating func rename(otherThan names: Set<String>, reuses: Bool) {
    guard let name = freeName(otherThan: names), let index = drawUnchanged() else { return }
    let former = current.members[index].name
    steps.append("rename \(former) to \(name)")
    let isFirst = current.formerNames[former] == nil && !reusedNames.contains(former)
    current.members[index].name = name
    current.formerNames[name] = former
    guard reuses, isFirst || !habits.isPlain else { return }
    reusedNames.insert(former)
    add(former)
  }

  /// What the model says that a member is and was called.
  private func names(of member: DrawnModel.Member) -> [String] {
    var names = [member.name]
    while let last = names.last, let former = current.formerNames[last] { names.append(former) }
    return names
  }

  private mutating func changeInitialValue() {
    guard let index = drawUnchanged() else { return }
    current.members[index].initial = value(of: current.members[index].type)
    steps.append("begin \(current.members[index].name) with \(current.members[index].initial)")
  }

  private mutating func retype() {
    guard let index = drawUnchanged() else { return }
    let before = current.members[index]
    guard
      let type = Self.types.filter({ "\($0)" != "\(before.type)" }).randomElement(using: &random)
    else { return }
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
