/// How older apps read members that were changed inside: one expression for the member as a whole.
extension HistoryDerivation {
  /// Notes how older apps read a member whose objects had `members`; `otherwise` is what the change
  /// means to them when they cannot.
  mutating func addWayBack(
    of member: TypeState.Member, _ members: [MemberShape], _ changed: ChangedObject,
    _ takenOut: [String: String], _ type: Int, otherwise: ForwardEffect
  ) -> ForwardEffect {
    let state = changed.state
    let isSame =
      state.members.map { MemberShape($0.name, $0.type) }
      == members.map { MemberShape($0.name, $0.type) }
      && state.members.map(\.identity) == members.map { Self.embeddedIdentity(of: $0.name) }
    guard changed.effect.grade < .refused, !isSame || !changed.inverses.isEmpty else {
      return changed.effect
    }
    let given = Set(state.members.map(\.identity) + changed.inverses.map(\.member))
    let gone = takenOut.filter { !given.contains(Self.embeddedIdentity(of: $0.key)) }
    let left = members.filter { gone[$0.name] == nil }
    guard
      var expression = EmbeddedWayBack(to: left, changed).expression(
        over: .member(member.name))
    else { return otherwise }
    for (name, outside) in gone.sorted(by: { $0.key < $1.key }) {
      expression = expression.setting(name, to: .member(outside))
    }
    guard expression.depth <= SchemaLimits.depth, expression.isBounded else { return otherwise }
    append(expression, of: member, type, initial: Self.initialValues(of: changed))
    return changed.effect
  }

  /// What new objects hold in members that were added with a constant, and inside of those that
  /// older apps know.
  private static func initialValues(of changed: ChangedObject) -> [String: Value] {
    var values: [String: Value] = [:]
    for member in changed.state.members {
      if member.identity == embeddedIdentity(of: member.identity.originalName) {
        let inner = changed.inverses.filter { $0.member == member.identity }.map(\.initial)
        let all = inner.reduce(into: [:]) { $0.merge($1) { _, new in new } }
        if !all.isEmpty { values[member.name] = .object(all) }
        continue
      }
      let operations = changed.state.operations.filter { $0.kind.member == member.identity }
      if case .set(_, let value)? = operations.first?.kind, operations.count == 1 {
        values[member.name] = value
      } else if member.type.isOptional {
        values[member.name] = .null
      }
    }
    return values
  }
}

/// Puts the ways back of single members of an embedded object together.
///
/// They run one after the other, the last operation's first, as they would on a record: one that
/// reads what another gives stands in a stage of its own, so that none sees the failures of
/// another, and nothing is written twice.
private struct EmbeddedWayBack {
  private var stages: [[ObjectPart]] = []
  /// What gives each member, out of the objects of the stage before.
  private var known: [MemberIdentity: ValueExpression] = [:]
  /// What members are called between stages.
  private var names: [MemberIdentity: String] = [:]
  private var isComplete = true

  init(to members: [MemberShape], _ changed: HistoryDerivation.ChangedObject) {
    for member in changed.state.members {
      known[member.identity] = .member(member.name)
      names[member.identity] = member.name
    }
    for inverse in changed.inverses.reversed() { add(inverse) }
    var parts: [ObjectPart] = []
    for member in members {
      let found = known[HistoryDerivation.embeddedIdentity(of: member.name)]
      if found == nil, !member.type.isOptional { isComplete = false }
      parts.append(ObjectPart(member.name, found ?? .constant(.null)))
    }
    stages.append(parts)
  }

  private mutating func add(_ inverse: MemberInverse) {
    // One that reads another member does not go on from what the later one gave for its own.
    if inverse.inputs.map(\.member) == [inverse.member],
      let found = known[inverse.member], let both = found.mapped(by: inverse.expression)
    {
      known[inverse.member] = both
      return
    }
    let read = inverse.inputs.compactMap { known[$0.member] }
    if !read.allSatisfy(\.isPlain) { endStage() }
    known[inverse.member] = inverse.expression.replacingMembers { name in
      inverse.inputs.first { $0.name == name }.flatMap { known[$0.member] } ?? .constant(.null)
    }
  }

  private mutating func endStage() {
    var parts: [ObjectPart] = []
    for (identity, expression) in known.sorted(by: { $0.key < $1.key }) {
      // No member can be called like this.
      let name = names[identity] ?? "?\(names.count)"
      names[identity] = name
      parts.append(ObjectPart(name, expression))
      known[identity] = .member(name)
    }
    stages.append(parts)
  }

  /// Nothing when there is a member that older apps cannot be given.
  func expression(over objects: ValueExpression) -> ValueExpression? {
    guard isComplete else { return nil }
    // What no later stage reads stays out: for objects that older apps make it would be nil.
    var needed: Set<String>?
    var kept: [[ObjectPart]] = []
    for stage in stages.reversed() {
      let parts = stage.filter { needed?.contains($0.name) ?? true }
      needed = Set(parts.flatMap(\.value.memberNames))
      kept.append(parts)
    }
    return kept.reversed().reduce(objects) { $0.reshaped($1) }
  }
}

extension ValueExpression {
  /// Whether it is a member or a constant: it can stand anywhere, any number of times.
  fileprivate var isPlain: Bool {
    switch self {
    case .member, .constant: true
    default: false
    }
  }

  /// This way back of cases followed by `next`, an earlier operation's of the same member, in one;
  /// nothing when either is something else.
  fileprivate func mapped(by next: ValueExpression) -> ValueExpression? {
    guard case .mapped(.member(let name), let cases, let otherwise) = self,
      case .mapped(.member(let nextName), let later, let nextOtherwise) = next,
      otherwise == .member(name), nextOtherwise == .member(nextName)
    else { return nil }
    let both = cases.map { mapping in
      CaseMapping(from: mapping.from, to: later.first { $0.from == mapping.to }?.to ?? mapping.to)
    }
    // What the first one leaves as it is.
    let left = later.filter { mapping in !cases.contains { $0.from == mapping.from } }
    return .mapped(.member(name), both + left, otherwise: .member(name))
  }
}
