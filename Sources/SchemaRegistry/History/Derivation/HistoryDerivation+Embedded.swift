internal import BinaryCoding

/// Operations that look into a member, and conditions.
extension HistoryDerivation {
  /// An embedded object after operations ran on it.
  struct ChangedObject {
    let state: TypeState
    /// How older apps read its members.
    let inverses: [MemberInverse]
    /// What the operations mean for them.
    let effect: ForwardEffect
  }

  /// Runs operations on an embedded object as if it were a type, and keeps what they do as one
  /// operation of the record; says what that means for older apps.
  mutating func embedded(
    _ name: String, each: Bool, _ operations: [RecordOperation], _ id: String, _ type: Int
  ) -> ForwardEffect {
    guard let member = member(name, id, type), !isKey(member, id, type) else { return .none }
    let before = types[type]
    let old = before.members[member].type
    guard let members = old.embeddedMembers(each: each) else {
      report(
        id, path(name, type),
        "\(path(name, type)) is \(old), which \(each ? "holds no" : "is no") embedded object.",
        each
          ? "Each works on a list or dictionary of objects; use On for a single object."
          : "On works on an embedded object; use Each for the objects of a list or dictionary.")
      return .none
    }
    let takenOut = takenOut(of: name, type)
    let changed = derive(
      operations, on: members, meaning: types[type].members[member].meaning.inside,
      takenOut: takenOut, named: path(name, type), id)
    let inner = changed.state
    let object = FieldType.object(inner.members.map { MemberShape($0.name, $0.type) })
    if let problem = object.problem {
      report(
        id, path(name, type), "\(path(name, type)): \(problem).",
        "Keep a member, or remove \(name) as a whole.")
      return .none
    }
    types[type].members[member].type = old.replacingInnermost(with: object)
    types[type].members[member].meaning.inside = .init(of: inner.members)
    let transform = EmbeddedTransform(
      source: members.map { ($0.name, Self.embeddedIdentity(of: $0.name)) },
      operations: inner.operations, target: inner.members.map { ($0.name, $0.identity) })
    append(.transform(types[type].members[member].identity, transform), id, type)
    return addWayBack(
      of: before.members[member], members, changed, takenOut, type,
      otherwise: forwardEffect(
        of: .embedded(member: name, each: each, operations: operations), id: id, type: before))
  }

  private mutating func derive(
    _ operations: [RecordOperation], on members: [MemberShape], meaning: [String: KnownMeaning],
    takenOut: [String: String], named name: String, _ id: String
  ) -> ChangedObject {
    let outer = types.count
    let inverseCount = inverses.count
    var effect = ForwardEffect.none
    types.append(
      TypeState(
        name: name, identity: TypeIdentity(introducedIn: version, originalName: name),
        key: Self.embeddedIdentity(of: ""),
        members: members.map {
          TypeState.Member(
            identity: Self.embeddedIdentity(of: $0.name), name: $0.name, type: $0.type,
            meaning: meaning[$0.name] ?? KnownMeaning())
        }))
    types[outer].isEmbedded = true
    upcoming[types[outer].identity] = operations
    for (position, operation) in operations.enumerated() {
      let innerID = "\(id).\(position + 1)"
      switch operation {
      case .rewrite, .dropRecords:
        report(
          innerID, name, "The operation works on whole records, and \(name) is a part of one.",
          "Write it outside, on the record.")
      case .remove(let member, nil) where takenOut[member] != nil:
        reportDisplaced(outer, id: innerID)
        let isRead = RecordOperation.remove(member: member, readAs: .member(member))
        effect = effect.joined(with: forwardEffect(of: isRead, id: innerID, type: types[outer]))
        _ = apply(operation, id: innerID, to: outer)
      case .rename:
        effect = effect.joined(with: apply(operation, id: innerID, to: outer))
      default:
        reportDisplaced(outer, id: innerID)
        effect = effect.joined(with: apply(operation, id: innerID, to: outer))
      }
    }
    reportDisplaced(outer, id: id)
    checkEndOfVersion(outer)
    let found = Array(inverses[inverseCount...])
    inverses.removeSubrange(inverseCount...)
    return ChangedObject(state: types.remove(at: outer), inverses: found, effect: effect)
  }

  /// Members that an embedded object had before; its own have no identity. Base versions have no
  /// operations, so no member that an operation introduces can have this one.
  static func embeddedIdentity(of name: String) -> MemberIdentity {
    MemberIdentity(introducedIn: 0, originalName: name)
  }

  mutating func dropRecords(
    _ inputs: [String], _ computation: Computation, _ id: String, _ type: Int
  ) {
    check(
      computation, inputs: inputs, storedIn: .bool, keepsNil: false, id: id,
      member: inputs.first ?? "", type: type)
    append(.drop(resolve(inputs, type), computation), id, type)
  }

  /// The type of what an expression gives, when the members tell; reports why they do not.
  mutating func inferred(
    _ computation: Computation, id: String, member: String, type: Int
  ) -> FieldType? {
    guard case .expression(let expression) = computation else {
      report(
        id, path(member, type),
        "The type of \(path(member, type)) cannot be told from the closure.",
        "Write Derive(\"\(member)\", .string, from: …) with the type as second argument.")
      return nil
    }
    for name in expression.memberNames where types[type].index(named: name) == nil {
      reportUnknown(name, id, type)
      return nil
    }
    let members = types[type].members
    do throws(ValueExpression.Problem) {
      let found = try expression.inferType { name in members.first { $0.name == name }?.type }
      if let stored = found.stored {
        guard let problem = stored.problem else { return stored }
        report(
          id, path(member, type), "\(path(member, type)): \(problem).", "Use another type.")
        return nil
      }
      report(
        id, path(member, type),
        "The type of \(path(member, type)) cannot be told from the expression.",
        "Write Derive(\"\(member)\", .string, …) with the type as second argument.")
    } catch {
      report(
        id, path(member, type), "The expression \(error.reason).", "Correct the expression.")
    }
    return nil
  }
}

extension FieldType {
  /// The members of the embedded object that values of this type are, or with `each` hold in lists
  /// and dictionaries of any depth.
  func embeddedMembers(each: Bool) -> [MemberShape]? {
    switch unwrapped {
    case .object(let members): each ? nil : members
    case .list(let element), .dictionary(let element):
      each ? element.embeddedMembers(each: false) ?? element.embeddedMembers(each: true) : nil
    default: nil
    }
  }
}
