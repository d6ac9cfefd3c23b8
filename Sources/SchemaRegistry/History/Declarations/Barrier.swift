/// Code that runs once over whole types: `Barrier("dedupe", touching: "Person") { store in … }`.
///
/// For what no operation on single records can do: one record into many, merging records, new types
/// made of old ones. It runs when the store is opened under this version, or when the app asks for
/// it because it is too much for an opening, in one transaction: killed at any time, nothing has
/// happened. It runs last in its version, and must not depend on anything but the store.
public struct Barrier: Sendable {
  let step: BarrierStep

  /// Code called `name` that works on the objects of `types` only.
  public init(
    _ name: String, touching types: String..., revision: UInt32 = 1,
    _ body: @escaping BarrierStep.Body
  ) {
    step = .code(name: name, types: types, revision: revision, run: body)
  }
}
