/// Barriers on links and embedded objects in a history file.
extension DocumentPlace {
  private static let policies: [(name: String, policy: EmbeddingPolicy)] = [
    ("duplicateShared", .duplicateShared), ("deleteOrphans", .deleteOrphans),
  ]

  /// The barrier here when it is one on links or embedded objects.
  func relation() throws(SchemaError) -> BarrierStep? {
    let keys = try keys()
    if keys.contains("retarget") {
      let parts = try object(allowing: ["retarget", "member", "to", "closure"])
      var mapping: LinkMapping?
      if let place = parts["closure"] {
        mapping = LinkMapping(revision: try place.closureRevision(), run: nil)
      }
      return .retarget(
        type: try required("retarget", in: parts).text(),
        member: try required("member", in: parts).text(),
        target: try required("to", in: parts).text(), mapping: mapping)
    }
    if keys.contains("embed") {
      let parts = try object(allowing: ["embed", "into", "policy"])
      var policy = EmbeddingPolicy.fail
      for place in try required("policy", in: parts).array() {
        let name = try place.text()
        guard let found = Self.policies.first(where: { $0.name == name })?.policy else {
          throw place.failure(
            "one of \(Self.policies.map(\.name).joined(separator: ", ")) is expected")
        }
        policy.insert(found)
      }
      return .embed(
        type: try required("embed", in: parts).text(),
        into: try required("into", in: parts).memberPlaces(), policy: policy)
    }
    guard keys.contains("extract") else { return nil }
    let parts = try object(allowing: ["extract", "key", "from"])
    return .extract(
      type: try required("extract", in: parts).text(), key: try required("key", in: parts).text(),
      from: try required("from", in: parts).memberPlaces())
  }

  private func memberPlaces() throws(SchemaError) -> [MemberPlace] {
    var places: [MemberPlace] = []
    for place in try array() {
      let parts = try place.object(allowing: ["type", "member"])
      places.append(
        MemberPlace(
          try place.required("type", in: parts).text(),
          try place.required("member", in: parts).text()))
    }
    return places
  }

  /// The names of what a policy allows.
  fileprivate static func names(of policy: EmbeddingPolicy) -> [String] {
    policies.filter { policy.contains($0.policy) }.map(\.name)
  }
}

extension DocumentTree {
  /// The form of a barrier on links that ``DocumentPlace/relation()`` reads.
  static func relation(_ step: BarrierStep) -> DocumentTree {
    var parts: [String: DocumentTree] = [:]
    switch step {
    case .retarget(let type, let member, let target, let mapping):
      parts = ["retarget": .text(type), "member": .text(member), "to": .text(target)]
      if let mapping {
        parts["closure"] = .object(["revision": .integer(Int64(mapping.revision))])
      }
    case .embed(let type, let places, let policy):
      parts = [
        "embed": .text(type), "into": .array(places.map(Self.place)),
        "policy": .array(DocumentPlace.names(of: policy).map { .text($0) }),
      ]
    case .extract(let type, let key, let places):
      parts = [
        "extract": .text(type), "key": .text(key), "from": .array(places.map(Self.place)),
      ]
    case .rekey, .move, .code: break
    }
    return .object(parts)
  }

  private static func place(_ place: MemberPlace) -> DocumentTree {
    .object(["type": .text(place.type), "member": .text(place.member)])
  }
}
