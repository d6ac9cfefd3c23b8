/// What a barrier does, with its declared effect.
public enum BarrierStep: Sendable {
  /// Another member becomes the primary key.
  case rekey(type: String, member: String, onDuplicate: DuplicateKeys)
  /// Links of a member lead to another type.
  case retarget(type: String, member: String, target: String, mapping: LinkMapping?)
  /// Objects become parts of those that link to them.
  case embed(type: String, into: [MemberPlace], policy: EmbeddingPolicy)
  /// Embedded objects become objects of a new type.
  case extract(type: String, key: String, from: [MemberPlace])
  /// Objects that satisfy a condition go to another type.
  case move(RecordMove)
  /// Code on the objects of some types; nil when only its description is at hand.
  case code(name: String, types: [String], revision: UInt32, run: Body?)

  /// The code's form.
  public typealias Body = @Sendable (any BarrierAccess) throws -> Void
}

/// What happens when two objects get the same new key.
public enum DuplicateKeys: String, Hashable, Sendable, CaseIterable {
  /// The barrier fails and names them; the store stays as it is.
  case fail
  /// The first in the order of the old keys stays.
  case keepFirst
  /// The last in the order of the old keys stays.
  case keepLast
}
