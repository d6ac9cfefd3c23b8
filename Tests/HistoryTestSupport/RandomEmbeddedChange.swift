internal import SchemaRegistry
internal import StorageTestSupport

/// Random operations on the members of an embedded object, and inside of those.
struct RandomEmbeddedChange {
  private(set) var operations: [RecordOperation] = []
  private(set) var members: [MemberShape]
  private(set) var random: SeededGenerator
  /// The number of the next name that no member ever had.
  private(set) var nextName: Int
  /// The cases of members that have some; inside of objects no name is given twice.
  private(set) var cases: [String: [Value]]
  /// Whether nil in a member that was made optional always has a value for older apps: they need
  /// one when the member is removed later.
  private let leadsBack: Bool
  /// Names that this version gave away or took.
  private var busy: Set<String> = []

  init(
    _ members: [MemberShape], nextName: Int, cases: [String: [Value]], leadsBack: Bool,
    _ random: SeededGenerator, depth: Int = 2
  ) {
    self.leadsBack = leadsBack
    self.members = members
    self.nextName = nextName
    self.cases = cases
    self.random = random
    for _ in 0..<Int.random(in: 1...4, using: &self.random) { append(depth) }
  }

  /// What a type holds whose operations these are, and whether it may have any number of them.
  static func members(of type: FieldType) -> (each: Bool, members: [MemberShape])? {
    switch type.unwrapped {
    case .object(let members): return (false, members)
    case .list(let element), .dictionary(let element):
      return members(of: element).map { (true, $0.members) }
    default: return nil
    }
  }

  static func replacing(_ type: FieldType, with object: FieldType) -> FieldType {
    switch type {
    case .optional(let inner): .optional(replacing(inner, with: object))
    case .list(let inner): .list(replacing(inner, with: object))
    case .dictionary(let inner): .dictionary(replacing(inner, with: object))
    default: object
    }
  }

  private mutating func freshName() -> String {
    nextName += 1
    busy.insert("m\(nextName)")
    return "m\(nextName)"
  }

  private mutating func change(_ index: Int, to type: FieldType, by operation: RecordOperation) {
    guard type.problem == nil else { return }
    members[index] = MemberShape(members[index].name, type)
    operations.append(operation)
  }

  private mutating func append(_ depth: Int) {
    let free = members.indices.filter { !busy.contains(members[$0].name) }
    guard let index = free.randomElement(using: &random), !random.chance(4) else {
      let type = RandomSchemas.type(&random, depth: 1)
      let name = freshName()
      members.append(MemberShape(name, type))
      let value = RandomSchemas.value(of: type, &random)
      let declared = type == .string && random.chance(2) ? [value] : nil
      cases[name] = declared
      return operations.append(
        .add(
          member: name, type: type, default: value, meaning: MemberMeaning(cases: declared)))
    }
    let holding = free.filter { Self.members(of: members[$0].type) != nil }
    if let deeper = holding.randomElement(using: &random), random.chance(3) {
      return inside(deeper, depth)
    }
    let (name, type) = (members[index].name, members[index].type)
    if let known = cases[name], random.chance(2) { return addCase(index, to: known) }
    switch Int.random(in: 0..<(cases[name] == nil ? 8 : 2), using: &random) {
    case 0 where members.count > 1:
      busy.insert(name)
      members.remove(at: index)
      let readAs =
        random.chance(2) ? cases[name]?.first ?? value(of: type) : nil
      operations.append(.remove(member: name, readAs: readAs.map { .constant($0) }))
    case 1:
      busy.insert(name)
      let new = freshName()
      members[index] = MemberShape(new, type)
      cases[new] = cases.removeValue(forKey: name)
      operations.append(.rename(member: name, to: new, type: nil, fill: nil))
    case 2:
      let readAs =
        leadsBack || random.chance(2) ? value(of: type.unwrapped) : nil
      change(index, to: type.madeOptional, by: .makeOptional(member: name, readAs: readAs))
    case 3:
      let fill = value(of: type.unwrapped)
      change(index, to: type.unwrapped, by: .require(member: name, fill: fill))
    case 4: change(index, to: .list(type), by: .widen(member: name, to: .list(type)))
    case 5:
      let closure = StepClosure(revision: 1, inputTypes: [nil], outputType: .string) { values in
        .string("\(values[0].kindName) \(values[0].isNull)")
      }
      change(
        index, to: .string,
        by: .convert(member: name, to: .string, computation: .closure(closure)))
    default: if cases[name] == nil { mapCases(index) }
    }
  }

  private mutating func value(of type: FieldType) -> Value {
    RandomSchemas.value(of: type, cases: cases, &random)
  }

  private mutating func addCase(_ index: Int, to known: [Value]) {
    let name = members[index].name
    let added = Value.string("case \(known.count)")
    cases[name] = known + [added]
    let readAs = random.chance(2) ? known.randomElement(using: &random) : nil
    operations.append(.addCases(member: name, [added], readAs: readAs))
  }

  /// Other values for some, as for cases of enumerations that are not declared.
  private mutating func mapCases(_ index: Int) {
    let (name, type) = (members[index].name, members[index].type)
    switch type.unwrapped {
    case .string:
      change(
        index, to: type, by: .mapCases(member: name, [CaseMapping(from: "", to: "a")], all: nil))
    case .bool:
      let cases = [CaseMapping(from: true, to: false), CaseMapping(from: false, to: true)]
      change(index, to: type, by: .mapCases(member: name, cases, all: [true, false]))
    default: return
    }
  }

  private mutating func inside(_ index: Int, _ depth: Int) {
    let (name, type) = (members[index].name, members[index].type)
    guard depth > 0, let (each, inner) = Self.members(of: type) else { return }
    let change = RandomEmbeddedChange(
      inner, nextName: nextName, cases: cases, leadsBack: leadsBack, random, depth: depth - 1)
    (random, nextName) = (change.random, change.nextName)
    let changed = Self.replacing(type, with: .object(change.members))
    guard !change.operations.isEmpty, changed.problem == nil else { return }
    cases = change.cases
    self.change(
      index, to: changed,
      by: .embedded(member: name, each: each, operations: change.operations))
  }
}
