internal import BinaryCoding

/// How older apps get the value of a member that a version removed or changed, computed from what
/// the version left.
///
/// The newer app writes it into the store's ledger, as the older one has no code for it.
public struct MemberInverse: Hashable, Sendable {
  /// A member that the expression reads.
  public struct Input: Hashable, Sendable {
    /// What the expression calls it.
    public let name: String
    /// What it is.
    public let member: MemberIdentity

    public init(name: String, member: MemberIdentity) {
      self.name = name
      self.member = member
    }
  }

  /// The type whose records it is about.
  public let type: TypeIdentity
  /// The member as the version before had it.
  public let member: MemberIdentity
  /// What that member held.
  public let memberType: FieldType
  /// The members that the expression reads, under the version.
  public let inputs: [Input]
  /// What gives the value.
  public let expression: ValueExpression
  /// For embedded objects that an older app makes: what they hold in members that the version added
  /// to them, by name, and the same inside of those; nothing for members of records.
  public let initial: [String: Value]
  /// What the expression calls the inputs.
  private let names: InputNames

  public init(
    type: TypeIdentity, member: MemberIdentity, memberType: FieldType, inputs: [Input],
    expression: ValueExpression, initial: [String: Value] = [:]
  ) {
    self.type = type
    self.member = member
    self.memberType = memberType
    self.inputs = inputs
    self.expression = expression
    self.initial = initial
    names = InputNames(inputs.map(\.name))
  }

  /// Gives `record`, which is as the version left it, the member that the version before had.
  func run(
    on record: inout [MemberIdentity: Value], _ room: inout ExpressionRoom
  ) throws(ExpressionFailure) {
    let value = try expression.evaluate(&room) { name in
      names[name].flatMap { record[inputs[$0].member] } ?? .null
    }
    guard value.isValid(for: memberType) else {
      throw ExpressionFailure(
        reason: "the way back gave a \(value.kindName), which is no \(memberType)")
    }
    // As the older app has it that reads this and writes it again.
    record[member] = value.completed(for: memberType)
  }

  /// The cases that `member` has in the version, where this is the way back of its cases: such a
  /// way names each, and leaves what is none as it is.
  func cases(of member: MemberIdentity) -> [Value]? {
    guard self.member == member, inputs.map(\.member) == [member],
      case .mapped(let read, let mappings, let otherwise) = expression, case .member = read,
      otherwise == nil || otherwise == read
    else { return nil }
    return mappings.map(\.from)
  }
}

extension SchemaHistory {
  /// The ways back to `first` for records of `type` that were written under `last`, oldest first.
  package func inverses(
    of type: TypeIdentity, after first: SchemaVersion, through last: SchemaVersion
  ) -> [MemberInverse] {
    versions.filter { $0.number > first && $0.number <= last }
      .flatMap { derived[$0.number]?.inverses ?? [] }
      .filter { $0.type == type }
  }
}

extension HistoryDerivation {
  /// Notes how older apps read a member that an operation, which just ran, took or changed.
  mutating func addInverse(
    _ expression: ValueExpression, of member: TypeState.Member, _ id: String, _ type: Int
  ) {
    check(
      .expression(expression), inputs: [], storedIn: member.type, keepsNil: false, id: id,
      member: member.name, type: type)
    append(expression, of: member, type)
  }

  /// The same for an expression that is good. `initial` is what new embedded objects hold.
  mutating func append(
    _ expression: ValueExpression, of member: TypeState.Member, _ type: Int,
    initial: [String: Value] = [:]
  ) {
    inverses.append(
      MemberInverse(
        type: types[type].identity, member: member.identity, memberType: member.type,
        inputs: resolve(expression.memberNames, type).map {
          MemberInverse.Input(name: $0.name, member: $0.member)
        }, expression: expression, initial: initial))
  }
}
