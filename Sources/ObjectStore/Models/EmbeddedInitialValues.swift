public import SchemaRegistry

/// What the members of an embedded object hold before anybody sets them.
///
/// Where a model adds a member inside an embedded object, objects that are stored already get the
/// value from here.
public struct EmbeddedInitialValues: Sendable, Equatable {
  /// The value of each member that always begins with the same.
  public private(set) var values: [String: Value] = [:]
  /// The same for embedded objects that members hold, or will hold.
  public private(set) var inner: [String: EmbeddedInitialValues] = [:]
  /// What stands in members whose type says nothing of how they begin, in objects of apps that do
  /// not know them: a value that can be read, which a zero need not be. No older object gets it.
  private(set) var standIns: [String: Value] = [:]

  init() {}

  /// What is known of one object: `value` may be a dictionary of objects, or nil.
  init(_ value: Value) {
    guard case .object(let members) = value else { return }
    values = members
    for (name, value) in members {
      if case .object = value { inner[name] = EmbeddedInitialValues(value) }
    }
  }

  /// What a version recorded that was added, as an object of the values: in the first of `forms`,
  /// which the objects had in that version, as far as it is left in the others. Of members that
  /// were added whole nothing is said of what is inside, which other objects have already.
  ///
  /// A member was there before when all forms have it that the objects had `since` others.
  init(recorded value: Value, since before: [FieldType], through forms: [FieldType]) {
    guard case .object(let members) = value else { return }
    for (name, value) in members {
      guard let types = EmbeddedMembers.types(of: name, in: forms), let first = types.first
      else { continue }
      let known = EmbeddedMembers.types(of: name, in: before)
      let isInside = before.isEmpty ? !value.isWhole(for: first) : known != nil
      if isInside {
        inner[name] = EmbeddedInitialValues(recorded: value, since: known ?? [], through: types)
      } else {
        values[name] = value.kept(through: types)
      }
    }
  }

  /// Of an object that was made of placeholders, as its type does not say what it begins with:
  /// optionals, which were filled to see what they are, begin as nil. `known` is what embedded
  /// objects say themselves, by the path that leads there from `place`.
  init(
    placeholders: [String: Value], of members: [(name: String, type: FieldType)],
    knowing known: [String: EmbeddedInitialValues] = [:], at place: String = ""
  ) {
    for (name, type) in members {
      var standIn = placeholders[name] ?? .null
      if let object = known[place + name] {
        inner[name] = object
        if case .object(let members) = type {
          standIn = object.whole(over: standIn)
          // One that is always there begins as its own type says, where that is always the same.
          if members.allSatisfy({ object.values[$0.name] != nil }) {
            values[name] = standIn
            continue
          }
        }
      } else if case .object(let members) = type.unwrapped, case .object(let inside) = standIn {
        let object = EmbeddedInitialValues(
          placeholders: inside, of: members.map { ($0.name, $0.type) }, knowing: known,
          at: "\(place)\(name).")
        inner[name] = object
        standIn = object.whole(over: standIn)
      }
      if type.isOptional { values[name] = .null } else { standIns[name] = standIn }
    }
  }

  /// An object with all that is known, and with the rest of `placeholder`.
  private func whole(over placeholder: Value) -> Value {
    var members = values.merging(standIns) { value, _ in value }
    if case .object(let others) = placeholder { members.merge(others) { known, _ in known } }
    return .object(members)
  }

  mutating func note(_ name: String, _ value: Value, inner: EmbeddedInitialValues?) {
    values[name] = value
    self.inner[name] = inner
  }

  /// What is in a member of objects that apps make which do not know it.
  func newObjectValue(of name: String) -> Value? { values[name] ?? standIns[name] }

  /// The same, but for what `recorded` says.
  func overlaid(by recorded: EmbeddedInitialValues) -> EmbeddedInitialValues {
    var copy = self
    copy.values.merge(recorded.values) { _, recorded in recorded }
    for (name, value) in recorded.inner {
      copy.inner[name] = inner[name, default: EmbeddedInitialValues()].overlaid(by: value)
    }
    return copy
  }

  /// What both say: values that differ from one object to the next are left out.
  func common(with other: EmbeddedInitialValues) -> EmbeddedInitialValues {
    var common = EmbeddedInitialValues()
    common.values = values.filter { other.values[$0.key] == $0.value }
    common.standIns = standIns.filter { other.standIns[$0.key] == $0.value }
    for (name, value) in inner {
      if let other = other.inner[name] { common.inner[name] = value.common(with: other) }
    }
    return common
  }
}
