internal import BinaryCoding

/// Fuses the transitions of one type into segments.
///
/// State: for every member the step that gives its value.
/// 1. Every member of the stored record is a source step.
/// 2. Each operation adds a step or changes the table; removal only forgets, so the work for a
///    removed member costs nothing. Fills of fills and operations on constants collapse.
/// 3. A whole-record step ends the segment; its result is the source of the next one.
struct PlanCompiler {
  private(set) var segments: [PlanSegment] = []
  private var steps: [PlanStep] = []
  private var drops: [PlanComputation] = []
  private var table = SmallTable<MemberIdentity, Int>()

  init(source: TypeShape, derivedSource: TypeShape, transitions: [TypeTransition]) {
    var identities = SmallTable<String, MemberIdentity>()
    for member in derivedSource.members { identities[member.name] = member.identity }
    start(with: source.members.compactMap { identities[$0.name] })
    for transition in transitions { compile(transition) }
  }

  /// Ends the last segment with the members of `target`, found by name in `derivedTarget`.
  mutating func finish(target: TypeShape, derivedTarget: TypeShape) {
    var identities = SmallTable<String, MemberIdentity>()
    for member in derivedTarget.members { identities[member.name] = member.identity }
    let members = target.members.map { member -> Int in
      guard let identity = identities[member.name] else {
        preconditionFailure("the target's members were compared with the history's")
      }
      return step(of: identity)
    }
    segments.append(PlanSegment(steps: steps, drops: drops, members: members))
  }

  private mutating func start(with members: [MemberIdentity]) {
    steps = []
    drops = []
    table = SmallTable()
    for (index, identity) in members.enumerated() {
      table[identity] = append(.source(index))
    }
  }

  private mutating func append(_ step: PlanStep) -> Int {
    steps.append(step)
    return steps.count - 1
  }

  private func step(of identity: MemberIdentity) -> Int {
    guard let step = table[identity] else {
      preconditionFailure("the history was checked, so every member it reads has a value")
    }
    return step
  }

  private mutating func compile(_ transition: TypeTransition) {
    let old = transition.source.members.map { step(of: $0.identity) }
    for operation in transition.operations {
      switch operation.kind {
      case .set(let member, let value): table[member] = append(.constant(value))
      case .remove(let member): table[member] = nil
      case .fill(let member, let value): table[member] = fill(step(of: member), value)
      case .widen(let member, let change): table[member] = widen(step(of: member), change)
      case .compute(let member, let type, let inputs, let computation, let keepsNil):
        table[member] = append(
          .compute(
            self.computation(
              operation.id, inputs, computation, type: type, keepsNil: keepsNil)))
      case .transform(let member, let transform):
        table[member] = append(.transform(step(of: member), transform))
      case .drop(let inputs, let condition):
        drops.append(computation(operation.id, inputs, condition, type: .bool, keepsNil: false))
      case .rewrite(let closure):
        let new = transition.target.members.map { step(of: $0.identity) }
        let rewrite = PlanRewrite(
          operationID: operation.id, closure: closure, transition: transition, old: old, new: new)
        segments.append(PlanSegment(steps: steps, drops: drops, rewrite: rewrite))
        start(with: transition.target.members.map(\.identity))
      }
    }
  }

  private func computation(
    _ id: String, _ inputs: [ResolvedOperation.Input], _ computation: Computation,
    type: FieldType, keepsNil: Bool
  ) -> PlanComputation {
    PlanComputation(
      operationID: id, inputs: inputs.map { ($0.name, step(of: $0.member)) },
      computation: computation, type: type, keepsNil: keepsNil)
  }

  private mutating func fill(_ input: Int, _ value: Value) -> Int {
    switch steps[input] {
    case .constant(let constant): constant.isNull ? append(.constant(value)) : input
    case .fill: input
    default: append(.fill(input, value))
    }
  }

  private mutating func widen(_ input: Int, _ change: Widening.Change) -> Int {
    if case .constant(let value) = steps[input] {
      return append(.constant(change.widened(value)))
    }
    return append(.widen(input, change))
  }
}
