/// Embedded objects become objects of a new type:
/// `ExtractType("Address", key: "id", from: MemberPlace("Person", "home"))`.
///
/// A barrier: all objects of the types are written again, once, in one transaction. Each embedded
/// object gets a fresh UUID as key, the same however often the barrier has to start again, and its
/// member holds that key as a link; lists keep their order. The barrier stands alone for its types
/// in its version.
public struct ExtractType: Sendable {
  let step: BarrierStep

  /// Makes the type called `name` of what is embedded in the members at `places`, which must hold
  /// the same; `key` becomes its primary key.
  public init(_ name: String, key: String, from places: MemberPlace...) {
    step = .extract(type: name, key: key, from: places)
  }
}
