/// Another primary key: `Rekey("Person", to: "email", onDuplicate: .keepLast)`.
///
/// A barrier: every object of the type is written again, once, in one transaction. The member must
/// be required; what it needs is done by operations of the version before. Links hold the
/// old keys: a member with `linksTo`, or that a model has as a `Link`, is removed or converted in
/// this version or before. Every object must be one that the steps before can upgrade.
public struct Rekey: Sendable {
  let step: BarrierStep

  /// Makes `member` the primary key of `type`; by default duplicates make it fail.
  public init(_ type: String, to member: String, onDuplicate: DuplicateKeys = .fail) {
    step = .rekey(type: type, member: member, onDuplicate: onDuplicate)
  }
}
