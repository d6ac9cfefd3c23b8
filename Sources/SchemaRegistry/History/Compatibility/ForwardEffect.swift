internal import BinaryCoding

/// What one operation means for older apps, found when the history is checked.
public struct ForwardEffect: Hashable, Sendable {
  /// What they can do with records that it ran on.
  public let grade: ForwardGrade
  /// Why not everything; nothing for ``ForwardGrade/full``.
  public let incompatibility: Incompatibility?
  /// Why apps of several versions cannot share a store, though single records would do.
  public let unshareable: Incompatibility?

  static let none = ForwardEffect(grade: .full, incompatibility: nil, unshareable: nil)

  /// What this and another one mean together: the lower grade, and the first reason for it.
  func joined(with other: ForwardEffect) -> ForwardEffect {
    ForwardEffect(
      grade: max(grade, other.grade),
      incompatibility: other.grade > grade ? other.incompatibility : incompatibility,
      unshareable: unshareable ?? other.unshareable)
  }
}

extension HistoryDerivation {
  /// What `operation` on the records of `type`, which is about to run, means for older apps.
  func forwardEffect(of operation: RecordOperation, id: String, type: TypeState) -> ForwardEffect {
    let member = operation.memberName
    let place = member.map { "\(type.name).\($0)" } ?? type.name
    let old = type.members.first { $0.name == member }
    let found =
      derivedProblem(of: operation, place, type)
      ?? forwardProblem(of: operation, place, old?.type, old?.cases)
    guard let found else {
      return .none
    }
    let problem = Incompatibility(
      code: found.code, operationID: id, place: place, version: version, reason: found.reason,
      suggestion: found.suggestion)
    return ForwardEffect(
      grade: found.grade, incompatibility: found.grade == .full ? nil : problem,
      unshareable: problem)
  }

  private struct ForwardProblem {
    let grade: ForwardGrade
    let code: Incompatibility.Code
    let reason: String
    let suggestion: String
  }

  private func forwardProblem(
    of operation: RecordOperation, _ place: String, _ old: FieldType?, _ cases: [Value]?
  ) -> ForwardProblem? {
    switch operation {
    case .add, .derive: nil
    case .dropRecords: dropped
    case .remove(_, .some): readBack(place)
    case .remove:
      old?.isOptional ?? true
        ? nil
        : ForwardProblem(
          grade: .refused, code: .memberRemovedWithoutFallback,
          reason: "Older apps need a value of \(place), and there is none.",
          suggestion: "Make it optional first, and remove it when no app needs it any more.")
    case .rename(_, let new, let wanted, _):
      wanted?.isOptional == true && old?.isOptional == false
        ? loosened(place)
        : ForwardProblem(
          grade: .full, code: .nameMismatch,
          reason: "\(place) is called \(new) from version \(version) on.",
          suggestion: "Add a member.")
    case .makeOptional(_, .some):
      ForwardProblem(
        grade: .full, code: .optionalityLoosened,
        reason: "\(place) may be nil now, for which older apps read a value.",
        suggestion: "Keep it required, with a default.")
    case .makeOptional: loosened(place)
    case .convert(_, _, _, .some, _): readBack(place)
    case .require:
      ForwardProblem(
        grade: .full, code: .optionalityTightened,
        reason: "Older apps write nil to \(place), which is required now.",
        suggestion: "Keep it optional.")
    case .widen(_, let wanted):
      widened(place, from: old, to: wanted)
    case .convert, .embedded:
      // Of operations inside each says it by itself; this is where they have no common way back.
      ForwardProblem(
        grade: .refused, code: .typeMismatch,
        reason: "\(place) means something else now, and there is no way back.",
        suggestion: "Add a member with the new meaning, and keep the old one.")
    case .mapCases(_, let mappings, _):
      mapped(place, old, cases.map { CaseChange(mapping: $0, by: mappings) })
    case .addCases(_, _, let readAs):
      ForwardProblem(
        grade: readAs == nil ? .readOnly : .full, code: .enumCaseMissing,
        reason: "\(place) has cases that older apps do not know.",
        suggestion: readAs == nil
          ? "Say in readAs: which case they read instead." : "Add a member, and keep the old cases."
      )
    case .rewrite:
      ForwardProblem(
        grade: .refused, code: .recordsRewritten,
        reason: "What code makes of \(place) cannot be taken back.",
        suggestion: "Use operations that add members.")
    }
  }

  /// Nobody computes a member again: an older app that changes what it was computed from does not
  /// know it. What the version takes away, no older app can change, nor a key.
  private func derivedProblem(
    of operation: RecordOperation, _ place: String, _ type: TypeState
  ) -> ForwardProblem? {
    guard case .derive(_, _, let inputs, _, _) = operation else { return nil }
    let key = type.members.first { $0.identity == type.key }?.name
    let left = inputs.filter { input in
      input != key
        && upcoming[type.identity]?.contains { later in
          if case .remove(input, _) = later { true } else { false }
        } != true
    }
    guard !left.isEmpty else { return nil }
    return ForwardProblem(
      grade: .full, code: .derivedFromOthers,
      reason: "\(place) is computed once, and stays as it is when an older app changes "
        + left.joined(separator: " or ") + ".",
      suggestion: "Let the app compute it where it reads \(left.joined(separator: " and ")).")
  }

  private var dropped: ForwardProblem {
    ForwardProblem(
      grade: .readOnly, code: .recordsDropped,
      reason: "New objects of older apps are dropped like all others that meet the condition.",
      suggestion: "Let the app remove them, or drop them when no older app writes any more.")
  }

  private func mapped(
    _ place: String, _ old: FieldType?, _ change: CaseChange?
  ) -> ForwardProblem {
    // Even where cases only went: an older app may write one of those, and an older library looks
    // at the grade alone.
    // Where elements are mapped, there is no way back.
    if change?.wayBack != nil, old?.unwrapped == old?.innermost { return readBack(place) }
    return ForwardProblem(
      grade: .refused, code: .enumCaseMissing,
      reason: "\(place) has values that older apps do not know.",
      suggestion: "Keep the old values, or add a member.")
  }

  private func readBack(_ place: String) -> ForwardProblem {
    ForwardProblem(
      grade: .readOnly, code: .readOnlyInverse,
      reason: "Older apps read \(place) by a way back, and nothing leads from what they write.",
      suggestion: "Add a member with the new meaning, and keep the old one.")
  }

  private func loosened(_ place: String) -> ForwardProblem {
    ForwardProblem(
      grade: .readOnly, code: .optionalityLoosened,
      reason: "\(place) may be nil now, which older apps do not know.",
      suggestion: "Keep it required, with a default.")
  }

  private func widened(
    _ place: String, from old: FieldType?, to wanted: FieldType
  ) -> ForwardProblem {
    if let old, Widening.keepsBytes(from: old, to: wanted) {
      guard wanted.isOptional == old.isOptional else { return loosened(place) }
      return ForwardProblem(
        grade: .full, code: .typeMismatch, reason: "\(place) holds more than older apps can read.",
        suggestion: "Add a member.")
    }
    return ForwardProblem(
      grade: .refused, code: .typeMismatch,
      reason: "\(place) is \(wanted) now, which older apps cannot read.",
      suggestion: "Add a member of the new type, and keep the old one.")
  }

  /// What a change of the set of types, or a barrier, means for older apps.
  func forwardEffect(of change: SchemaChange, id: String, typeName: String) -> ForwardEffect {
    let found: (Incompatibility.Code, String, String)
    switch change {
    case .records, .addType: return .none
    case .renameType(let old, let new):
      return ForwardEffect(
        grade: .full, incompatibility: nil,
        unshareable: Incompatibility(
          code: .nameMismatch, operationID: id, place: old, version: version,
          reason: "\(old) is called \(new) from version \(version) on.",
          suggestion: "Keep the name."))
    case .removeType:
      found = (
        .typeRemoved, "Older apps look for objects of \(typeName).",
        "Remove it when no app needs it any more."
      )
    case .barrier(.rekey):
      found = (
        .keyChanged, "Older apps look \(typeName) up by another key.",
        "Add an indexed member instead."
      )
    case .barrier:
      found = (
        .barrierPresent, "\(typeName) changes whole types at once.",
        "Use operations on single records."
      )
    }
    let problem = Incompatibility(
      code: found.0, operationID: id, place: typeName, version: version, reason: found.1,
      suggestion: found.2)
    return ForwardEffect(grade: .refused, incompatibility: problem, unshareable: problem)
  }
}
