/// An operation after the history was checked: names are resolved to what the members are.
struct ResolvedOperation: Sendable {
  let id: String
  let kind: Kind

  enum Kind: Sendable {
    /// A new member with a constant; nil when a later whole-record step fills it.
    case set(MemberIdentity, Value)
    case remove(MemberIdentity)
    /// Another value for nil.
    case fill(MemberIdentity, Value)
    /// A lossless change that gives other bytes.
    case widen(MemberIdentity, Widening.Change)
    /// A member computed from others, or from itself.
    case compute(MemberIdentity, type: FieldType, inputs: [Input], Computation, keepsNil: Bool)
    /// An embedded object, or those in a list or dictionary, changed inside.
    case transform(MemberIdentity, EmbeddedTransform)
    /// The record is dropped when this is true.
    case drop([Input], Computation)
    /// Whole-record code; the last operation of its transition.
    case rewrite(RewriteClosure)

    /// The member that it gives a value to, or takes away.
    var member: MemberIdentity? {
      switch self {
      case .set(let member, _), .remove(let member), .fill(let member, _),
        .widen(let member, _), .compute(let member, _, _, _, _), .transform(let member, _):
        member
      case .drop, .rewrite: nil
      }
    }
  }

  struct Input: Sendable {
    let name: String
    let member: MemberIdentity
  }
}

extension Computation {
  /// Whether what it gives is to be written at the next chance.
  fileprivate var materialises: Bool {
    if case .closure(let closure) = self { closure.materialises } else { false }
  }
}

extension ResolvedOperation {
  /// Whether what it gives is to be written at the next chance.
  var materialises: Bool {
    switch kind {
    case .compute(_, _, _, let computation, _): computation.materialises
    case .transform(_, let transform): transform.operations.contains(where: \.materialises)
    case .rewrite(let closure): closure.materialises
    case .set, .remove, .fill, .widen, .drop: false
    }
  }

  /// Whether it runs code of the app.
  var runsCode: Bool {
    switch kind {
    case .compute(_, _, _, let computation, _), .drop(_, let computation): computation.isClosure
    case .transform(_, let transform): transform.operations.contains(where: \.runsCode)
    case .rewrite: true
    case .set, .remove, .fill, .widen: false
    }
  }
}
