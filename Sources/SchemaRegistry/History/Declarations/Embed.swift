/// Objects of a type become parts of the objects that link to them:
/// `Embed("Address", into: MemberPlace("Person", "home"), policy: .deleteOrphans)`.
///
/// A barrier: all objects of the types are written again, once, in one transaction. Each link in
/// the members named becomes the object that it leads to, without its key; lists keep their order.
/// A link to an object that there is not becomes nil, or is left out of its list; a required one
/// makes the barrier fail, which names the objects that have it: make the member optional in a
/// version before. The type is gone then; other members that are declared to link to it are an
/// issue. The barrier stands alone for its types in its version.
public struct Embed: Sendable {
  let step: BarrierStep

  /// Embeds the objects of `type` in the members at `places`; `policy` says what becomes of those
  /// with several links or none, as they are before the barrier.
  public init(_ type: String, into places: MemberPlace..., policy: EmbeddingPolicy) {
    step = .embed(type: type, into: places, policy: policy)
  }
}
