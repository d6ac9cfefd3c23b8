/// Another type that links lead to: `Retarget("Person", "pet", to: "Animal")`.
///
/// A barrier: every object of the type is written again, once, in one transaction. A link becomes
/// nil, and so optional; a list or dictionary of links becomes empty. With a closure each link
/// becomes what that gives for the key of the old target: nothing for no link, which a required
/// link cannot be; lists keep their order. The barrier stands alone for its type in its version.
public struct Retarget: Sendable {
  let step: BarrierStep

  /// Takes the links away.
  public init(_ type: String, _ member: String, to target: String) {
    step = .retarget(type: type, member: member, target: target, mapping: nil)
  }

  /// Lets each link lead to the object whose key `mapping` gives.
  public init(
    _ type: String, _ member: String, to target: String, revision: UInt32 = 1,
    _ mapping: @escaping @Sendable (Value) throws -> Value?
  ) {
    step = .retarget(
      type: type, member: member, target: target,
      mapping: LinkMapping(revision: revision, run: mapping))
  }
}
