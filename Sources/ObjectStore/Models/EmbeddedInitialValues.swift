public import SchemaRegistry

/// What the members of an embedded object hold before anybody sets them.
///
/// Where a model adds a member inside an embedded object, objects that are stored already get the
/// value from here.
public struct EmbeddedInitialValues: Sendable, Equatable {
  /// The value of each member that always begins with the same.
  public private(set) var values: [String: Value]
  /// The same for embedded objects that members hold, or will hold.
  public private(set) var inner: [String: EmbeddedInitialValues]

  /// What is known of one object: `value` may be a dictionary of objects, or nil.
  init(_ value: Value) {
    values = [:]
    inner = [:]
    guard case .object(let members) = value else { return }
    values = members
    for (name, value) in members {
      if case .object = value { inner[name] = EmbeddedInitialValues(value) }
    }
  }

  init(values: [String: Value], inner: [String: EmbeddedInitialValues]) {
    self.values = values
    self.inner = inner
  }

  /// What both say: values that differ from one object to the next are left out.
  func common(with other: EmbeddedInitialValues) -> EmbeddedInitialValues {
    var common = EmbeddedInitialValues(.null)
    common.values = values.filter { other.values[$0.key] == $0.value }
    for (name, value) in inner {
      if let other = other.inner[name] { common.inner[name] = value.common(with: other) }
    }
    return common
  }
}
