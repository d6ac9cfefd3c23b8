package import SchemaRegistry
package import StorageTestSupport

/// Random histories of one type, valid by construction, with every kind of operation.
package struct RandomHistories {
  private struct Member {
    var name: String
    var type: FieldType
    /// What it may hold, for some that hold texts.
    var cases: [Value]?
  }

  package var random: SeededGenerator
  private var members: [Member] = []
  private var nextName = 0
  private var retired: [String] = []
  /// The cases of members inside of embedded objects, which have names that no others have.
  private var innerCases: [String: [Value]] = [:]

  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// A history with 1 to 25 operations in some versions.
  package mutating func next() -> SchemaHistory {
    members = []
    retired = []
    innerCases = [:]
    nextName = 0
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let type =
        random.chance(3)
        ? RandomSchemas.embedding(&random) : RandomSchemas.type(&random, depth: 2)
      members.append(Member(name: freshName(), type: type))
    }
    let fields = members.map { Field($0.name, $0.type) }
    let base = Base(
      version: 0,
      types: [Type(name: "Person", keyMember: "id", fields: [Field("id", .int64)] + fields)])
    var left = Int.random(in: 1...25, using: &random)
    var versions: [Version] = []
    while left > 0 {
      let count = min(left, Int.random(in: 1...5, using: &random))
      left -= count
      versions.append(version(SchemaVersion(UInt64(versions.count + 1)), operationCount: count))
    }
    return SchemaHistory(base: base, versions: versions)
  }

  /// A history of one to three versions, which change embedded objects only.
  package mutating func nextInside() -> SchemaHistory {
    members = []
    innerCases = [:]
    nextName = 0
    for _ in 0..<2 {
      members.append(Member(name: freshName(), type: RandomSchemas.embedding(&random)))
    }
    let fields = [Field("id", .int64)] + members.map { Field($0.name, $0.type) }
    let base = Base(version: 0, types: [Type(name: "Person", keyMember: "id", fields: fields)])
    let versions = (1...Int.random(in: 1...3, using: &random)).map { number in
      let operations = members.indices.flatMap { embeddedChange($0, leadsBack: true) }
      return Version(
        number: SchemaVersion(UInt64(number)),
        changes: [.records(type: "Person", operations: operations)])
    }
    return SchemaHistory(base: base, versions: versions)
  }

  /// Random values of all members, the key's being `key`.
  package mutating func values(of shape: TypeShape, key: Value) -> [Value] {
    var values = RandomSchemas.values(shape, &random)
    values[shape.keyIndex] = key
    return values
  }

  private mutating func version(_ number: SchemaVersion, operationCount: Int) -> Version {
    var operations: [RecordOperation] = []
    // Names that this version already gave away or took must wait for the next version.
    var busy: Set<String> = []
    for _ in 0..<operationCount { operations += operation(&busy) }
    if random.chance(4) { operations.append(rewrite()) }
    return Version(number: number, changes: [.records(type: "Person", operations: operations)])
  }

  private mutating func freshName() -> String {
    nextName += 1
    return "m\(nextName)"
  }

  /// A new name, sometimes one that was removed before.
  private mutating func newName(_ busy: inout Set<String>) -> String {
    let old = retired.filter { !busy.contains($0) }.randomElement(using: &random)
    let name = random.chance(2) ? old ?? freshName() : freshName()
    retired.removeAll { $0 == name }
    busy.insert(name)
    return name
  }

  private mutating func operation(_ busy: inout Set<String>) -> [RecordOperation] {
    let free = members.indices.filter { !busy.contains(members[$0].name) }
    guard let index = free.randomElement(using: &random), !random.chance(4) else {
      return [addition(&busy)]
    }
    let holding = free.filter { RandomEmbeddedChange.members(of: members[$0].type) != nil }
    if let outer = holding.randomElement(using: &random), random.chance(6) {
      return embeddedChange(outer)
    }
    let member = members[index]
    if let cases = member.cases, random.chance(2) { return [change(of: cases, index)] }
    switch Int.random(in: 0..<14, using: &random) {
    case 0:
      retired.append(member.name)
      busy.insert(member.name)
      members.remove(at: index)
      return [.remove(member: member.name)]
    case 1:
      let name = newName(&busy)
      busy.insert(member.name)
      retired.append(member.name)
      members[index].name = name
      return [.rename(member: member.name, to: name, type: nil, fill: nil)]
    case 2:
      guard let other = free.filter({ $0 != index }).randomElement(using: &random) else {
        return []
      }
      let name = members[other].name
      members[other].name = member.name
      members[index].name = name
      busy.formUnion([name, member.name])
      return [
        .rename(member: member.name, to: name, type: nil, fill: nil),
        .rename(member: name, to: member.name, type: nil, fill: nil),
      ]
    case 3:
      members[index].type = member.type.unwrapped
      let fill = value(of: member.type.unwrapped, cases: member.cases)
      return [.require(member: member.name, fill: fill)]
    case 4:
      members[index].type = member.type.madeOptional
      return [.makeOptional(member: member.name)]
    case 5: return widening(index)
    case 6: return conversion(index)
    case 7: return embeddedChange(index)
    case 8: return moveInto(Array(free.shuffled(using: &random).prefix(2)), &busy)
    case 9: return moveOut(index, &busy)
    case 10:
      guard case .bool = member.type.unwrapped else { return [] }
      return [.mapCases(member: member.name, [CaseMapping(from: true, to: false)], all: nil)]
    case 11:
      guard random.chance(3), member.type.isOptional else { return [] }
      return [
        .dropRecords(
          inputs: [member.name],
          computation: .expression(.member(member.name).isNil.not.isEqual(to: false)))
      ]
    default: return [derivation(&busy)]
    }
  }

  private mutating func value(of type: FieldType, cases: [Value]?) -> Value {
    guard let cases else { return RandomSchemas.value(of: type, cases: innerCases, &random) }
    return type == .string ? cases.randomElement(using: &random) ?? "" : .list([])
  }

  /// A case that comes, with or without a way back, or another value for one.
  private mutating func change(of cases: [Value], _ index: Int) -> RecordOperation {
    let name = members[index].name
    let isSingle = members[index].type.unwrapped == .string
    let added = Value.string(freshName())
    guard isSingle, random.chance(2), let old = cases.randomElement(using: &random) else {
      members[index].cases = cases + [added]
      let readAs = isSingle && random.chance(2) ? cases.randomElement(using: &random) : nil
      return .addCases(member: name, [added], readAs: readAs)
    }
    if random.chance(4) {
      // All of them, some to one that others have.
      let new = cases.map { random.chance(2) ? $0 : added }
      members[index].cases =
        cases.filter { new.contains($0) } + (new.contains(added) ? [added] : [])
      return .mapCases(
        member: name, zip(cases, new).map { CaseMapping(from: $0, to: $1) }, all: cases)
    }
    let new = random.chance(2) ? added : cases.randomElement(using: &random) ?? added
    members[index].cases = cases.filter { $0 != old && $0 != new } + [new]
    if new != added, new != old { return RemoveCase(name, old, to: new).operation }
    return .mapCases(member: name, [CaseMapping(from: old, to: new)], all: nil)
  }

  /// Operations inside an embedded object, or inside every object of a list or dictionary.
  private mutating func embeddedChange(
    _ index: Int, leadsBack: Bool = false
  ) -> [RecordOperation] {
    let member = members[index]
    guard let (each, inner) = RandomEmbeddedChange.members(of: member.type) else { return [] }
    let change = RandomEmbeddedChange(
      inner, nextName: nextName, cases: innerCases, leadsBack: leadsBack, random)
    (random, nextName) = (change.random, change.nextName)
    let type = RandomEmbeddedChange.replacing(member.type, with: .object(change.members))
    guard !change.operations.isEmpty, type.problem == nil else { return [] }
    members[index].type = type
    innerCases = change.cases
    return [.embedded(member: member.name, each: each, operations: change.operations)]
  }

  private mutating func moveInto(_ moved: [Int], _ busy: inout Set<String>) -> [RecordOperation] {
    let parts = moved.map { members[$0] }
    guard parts.allSatisfy({ $0.type.madeOptional.problem == nil }) else { return [] }
    let object = newName(&busy)
    let type = FieldType.object(parts.map { MemberShape($0.name, $0.type) })
    guard type.problem == nil else { return [] }
    members.append(Member(name: object, type: type))
    for part in parts {
      members.removeAll { $0.name == part.name }
      busy.insert(part.name)
      retired.append(part.name)
    }
    let value = ValueExpression.object(parts.map { ObjectPart($0.name, .member($0.name)) })
    return [
      .derive(member: object, type: nil, inputs: parts.map(\.name), computation: .expression(value))
    ]
      + parts.map { .remove(member: $0.name) }
  }

  private mutating func moveOut(_ index: Int, _ busy: inout Set<String>) -> [RecordOperation] {
    let member = members[index]
    // The same names with cases in two places would be two to the history.
    guard case .object(let inner) = member.type.unwrapped, let part = inner.first,
      !RandomSchemas.hasMembers(named: Set(innerCases.keys), inside: part.type)
    else { return [] }
    let name = newName(&busy)
    let type = member.type.isOptional ? part.type.madeOptional : part.type
    members.append(Member(name: name, type: type, cases: innerCases[part.name]))
    return [
      .derive(
        member: name, type: nil, inputs: [member.name],
        computation: .expression(.member(member.name).field(part.name)))
    ]
  }

  private mutating func addition(_ busy: inout Set<String>) -> RecordOperation {
    let type =
      random.chance(4)
      ? RandomSchemas.embedding(&random) : RandomSchemas.type(&random, depth: 2)
    let name = newName(&busy)
    let value: Value? =
      type.isOptional && random.chance(2) ? nil : RandomSchemas.value(of: type, &random)
    let cases = value.flatMap { type == .string && random.chance(2) ? [$0] : nil }
    members.append(Member(name: name, type: type, cases: cases))
    return .add(
      member: name, type: type, default: value, meaning: MemberMeaning(cases: cases))
  }

  private mutating func widening(_ index: Int) -> [RecordOperation] {
    let member = members[index]
    let wider: FieldType
    switch member.type {
    case .int32: wider = random.chance(2) ? .int64 : .double
    case .float: wider = .optional(.double)
    case .optional(.int32): wider = .optional(.int64)
    case .optional(let inner):
      wider = random.chance(2) ? .list(.optional(inner)) : .optional(.list(inner))
    default: wider = random.chance(2) ? .list(member.type) : .optional(member.type)
    }
    guard wider.problem == nil else { return [] }
    members[index].type = wider
    return [.widen(member: member.name, to: wider)]
  }

  private mutating func conversion(_ index: Int) -> [RecordOperation] {
    let member = members[index]
    let type = FieldType.string
    members[index].type = type
    members[index].cases = nil
    if member.type == .string, random.chance(2) {
      let expression = ValueExpression.member(member.name).textBefore(" ").lowercased
        .orElse(.constant(.string("none")))
      return [.convert(member: member.name, to: type, computation: .expression(expression))]
    }
    let closure = StepClosure(revision: 1, inputTypes: [nil], outputType: .string) { values in
      .string("\(values[0].kindName) \(values[0].isNull)")
    }
    return [.convert(member: member.name, to: type, computation: .closure(closure))]
  }

  private mutating func derivation(_ busy: inout Set<String>) -> RecordOperation {
    let inputs = members.shuffled(using: &random).prefix(3)
    let texts = inputs.filter { $0.type.unwrapped == .string }.map(\.name)
    let name = newName(&busy)
    if random.chance(2) {
      members.append(Member(name: name, type: .string))
      return .derive(
        member: name, type: .string, inputs: texts,
        computation: .expression(
          .join(texts.map { .member($0) } + [.member("id").toString], separator: "/")))
    }
    members.append(Member(name: name, type: .optional(.list(.bool))))
    let closure = StepClosure(
      revision: 1, inputTypes: inputs.map { _ in nil }, outputType: nil
    ) { values in
      values.allSatisfy(\.isNull) ? .null : .list(values.map { .bool($0.isNull) })
    }
    return .derive(
      member: name, type: .optional(.list(.bool)), inputs: inputs.map(\.name),
      computation: .closure(closure))
  }

  /// Whole-record code: counts nils, fills some members, and sometimes drops the record.
  private mutating func rewrite() -> RecordOperation {
    let optionals = members.filter(\.type.isOptional).map(\.name)
    let cleared = optionals.randomElement(using: &random)
    let drops = random.chance(8)
    return .rewrite(
      RewriteClosure(revision: 1) { old, new, _ in
        let nils = old.memberNames.count { old[$0].isNull }
        if let cleared, nils % 2 == 0 { new[cleared] = .null }
        return drops && nils > 1 ? .drop : .keep
      })
  }
}
