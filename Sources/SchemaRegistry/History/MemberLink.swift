internal import BinaryCoding

/// A member that holds keys of another type, or of its own: alone, or in lists and dictionaries.
///
/// Links are known to histories and models alone. They are part of no shape and no fingerprint, and
/// nothing of them is stored.
public struct MemberLink: Hashable, Sendable, CustomStringConvertible {
  /// The name of the type that has the member.
  public let type: String
  /// The member, or a path into an embedded object, as in `address.country`.
  public let member: String
  /// The name of the type whose keys it holds.
  public let target: String

  public init(type: String, member: String, target: String) {
    self.type = type
    self.member = member
    self.target = target
  }

  /// The type and the member, as in `Order.address.country`.
  var place: String { "\(type).\(member)" }

  public var description: String { "\(place) links to \(target)" }
}

extension SchemaHistory {
  /// The links that the history declares for the types of `version`, in the order of its shape.
  public func links(at version: SchemaVersion) throws(SchemaError) -> [MemberLink] {
    let shape = try shape(at: version)
    return meanings(at: version, in: shape).flatMap { type, member, meaning in
      meaning.links.map { path, target in
        MemberLink(
          type: type, member: ([member] + path).joined(separator: "."),
          target: shape.type(target)?.name ?? target.originalName)
      }
    }
  }
}

extension SchemaHistory {
  /// What the history says of members of `version`, by the names of types and members.
  package func meanings(
    at version: SchemaVersion
  ) throws(SchemaError) -> [String: [String: MemberMeaning]] {
    let shape = try shape(at: version)
    var found: [String: [String: MemberMeaning]] = [:]
    for (type, member, meaning) in meanings(at: version, in: shape) {
      found[type, default: [:]][member] = MemberMeaning(meaning, in: shape)
    }
    return found
  }

  /// What the history says of members, in the order of the shape of `version`.
  func meanings(
    at version: SchemaVersion, in shape: SchemaShape
  ) -> [(type: String, member: String, meaning: KnownMeaning)] {
    guard let derived = derived[version] else { return [] }
    return shape.types.flatMap { type in
      type.members.compactMap { member in
        derived.meanings[type.identity]?[member.identity].map { (type.name, member.name, $0) }
      }
    }
  }
}

extension HistoryCheck {
  /// Throws ``SchemaError/linksToRemovedTypes(version:links:)`` when members that code declares
  /// link to types which the history had once and has no more at `version`, and
  /// ``SchemaError/linksToChangedKeys(_:)`` when barriers change the keys that they hold, and
  /// ``SchemaError/linksToOtherTypes(_:)`` when these are keys of another type.
  public static func checkLinks(
    _ links: [MemberLink], _ history: SchemaHistory, at version: SchemaVersion
  ) throws(SchemaError) {
    let shape = try history.shape(at: version)
    guard !links.isEmpty else { return }
    let present = Set(shape.types.map(\.name))
    let past = Set(history.derived.values.flatMap { $0.shape.types.map(\.name) })
    let dangling = links.filter { !present.contains($0.target) && past.contains($0.target) }
    guard dangling.isEmpty else {
      throw .linksToRemovedTypes(version: version, links: dangling)
    }
    var keys = ChangedKeyCheck(history)
    for link in links { try keys.check(link, at: version) }
    if !keys.issues.isEmpty { throw .linksToChangedKeys(keys.issues) }
    let differing = differing(links, try history.links(at: version), at: version)
    let others =
      differing
      + keys.replaced.filter { issue in !differing.contains { $0.member == issue.member } }
    if !others.isEmpty { throw .linksToOtherTypes(others) }
  }

  /// The links of models for which the history declares another target.
  private static func differing(
    _ links: [MemberLink], _ declared: [MemberLink], at version: SchemaVersion
  ) -> [HistoryIssue] {
    links.compactMap { link in
      let known = declared.first { $0.type == link.type && $0.member == link.member }
      guard let known, known.target != link.target else { return nil }
      let place = link.place
      return HistoryIssue(
        operationID: "v\(version)/\(link.type)", member: place,
        problem: "\(place) links to \(link.target) in the model, and to \(known.target) in the "
          + "history.",
        suggestion: "Retarget \(place) in a new version, or let the model link to "
          + "\(known.target).")
    }
  }
}
