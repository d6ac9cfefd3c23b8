import SchemaRegistry
import StorageTestSupport

@testable import ObjectStore

extension DrawnVersions {
  /// Embedded objects get a member, lose one, or begin with another value in one.
  ///
  /// Where one goes and another comes that could hold its values, code has to say whether it is the
  /// same: so one version adds members, and the next removes some.
  mutating func changeInside() {
    let removes = !habits.skips && number % 2 == 1
    let index = current.inside.indices.filter {
      unchangedInside.contains(current.inside[$0].number)
    }.randomElement(using: &random)
    switch (Int.random(in: 0..<4, using: &random), index) {
    case (0..<2, let index?) where removes && current.inside[index].number >= 0:
      let member = current.inside.remove(at: index)
      unchangedInside.remove(member.number)
      changeEmbedded { members in members[member.name] = nil }
      steps.append("remove \(member.name) inside")
    case (2, let index?):
      unchangedInside.remove(current.inside[index].number)
      current.inside[index].initial = value(of: current.inside[index].type)
      steps.append(
        "begin \(current.inside[index].name) inside with \(current.inside[index].initial)")
    default: if !removes { addInside() }
    }
  }

  private mutating func addInside() {
    // Of two members of one name a device that skips releases may see the first, then the second.
    let used = namesInside.union(current.inside.map(\.name))
    let free = DrawnModel.insideNames.filter { name in
      !used.contains(name) && (!habits.skips || !insideHolders.contains(name))
    }
    guard let name = free.randomElement(using: &random) else { return }
    let type = Self.types[Int.random(in: 0..<4, using: &random)]
    let member = DrawnModel.Member(
      name: name, type: type, initial: value(of: type), number: memberCount, embedding: nil)
    memberCount += 1
    insideHolders.insert(name)
    unseenInside.insert(member.number)
    current.inside.append(member)
    steps.append("add \(name) inside: \(type) = \(member.initial)")
  }

  /// Changes every embedded object in what objects hold.
  mutating func changeEmbedded(_ change: (inout [String: Value]) -> Void) {
    func changed(_ value: Value) -> Value {
      switch value {
      case .object(var members):
        change(&members)
        return .object(members)
      case .list(let elements): return .list(elements.map(changed))
      default: return value
      }
    }
    for key in objects.keys { objects[key] = objects[key]?.mapValues(changed) }
  }
}
