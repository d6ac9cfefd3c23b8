import ObjectStore
import StorageTestSupport

/// Versions of a model as a developer makes them, drawn from a seed, and what objects hold in each.
struct DrawnVersions {
  var random: SeededGenerator
  private(set) var current = DrawnModel.Version()
  /// What objects hold, by their keys and the numbers of members.
  private(set) var objects: [Int: [Int: Value]] = [:]
  /// What was done, for who looks for what went wrong.
  private(set) var steps: [String] = []
  private var memberCount = 0
  /// The members that this version may change: those of the one before, once each.
  private var unchanged: Set<Int> = []
  private static let names = ["a", "b", "c", "d", "e"]

  init(seed: Int) { random = SeededGenerator(seed: UInt64(seed)) }

  /// Draws the next version; its new members are in all objects with their initial values.
  mutating func advance() {
    let before = Set(current.members.map(\.name))
    unchanged = Set(current.members.map(\.number))
    steps.append("version")
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: add(otherThan: before)
      case 4: remove()
      case 5, 6: rename(otherThan: before, reuses: false)
      case 7, 8: rename(otherThan: before, reuses: true)
      default: changeInitialValue()
      }
    }
    if current.members.isEmpty { add(otherThan: before) }
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
    let types: [FieldType] = [.int64, .string, .optional(.int64), .optional(.string)]
    let type = types[Int.random(in: 0..<4, using: &random)]
    let initial = value(of: type)
    current.formerNames[name] = nil
    current.members.append(
      DrawnModel.Member(name: name, type: type, initial: initial, number: memberCount))
    for key in objects.keys { objects[key]?[memberCount] = initial }
    memberCount += 1
    steps.append("add \(name): \(type) = \(initial)")
  }

  private mutating func freeName(otherThan names: Set<String>) -> String? {
    let used = names.union(current.members.map(\.name))
    return Self.names.filter { !used.contains($0) }.randomElement(using: &random)
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
    current.members[index].name = name
    current.formerNames[name] = former
    if reuses { add(former) }
  }

  private mutating func changeInitialValue() {
    guard let index = drawUnchanged() else { return }
    current.members[index].initial = value(of: current.members[index].type)
    steps.append("begin \(current.members[index].name) with \(current.members[index].initial)")
  }
}
