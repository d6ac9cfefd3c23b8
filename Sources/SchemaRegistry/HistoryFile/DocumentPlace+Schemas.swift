/// Types, versions and whole histories in a history file.
extension DocumentPlace {
  /// The history here; checked for its form only, ask ``SchemaHistory/validate()`` for the rest.
  func history() throws(SchemaError) -> SchemaHistory {
    let parts = try object(allowing: ["format", "base", "versions"])
    let format = try required("format", in: parts)
    guard case .integer(1) = format.tree else { throw format.failure("the format must be 1") }
    var versions: [Version] = []
    if let place = parts["versions"] {
      for version in try place.array() { versions.append(try version.versionChanges()) }
    }
    return SchemaHistory(base: try required("base", in: parts).base(), versions: versions)
  }

  private func base() throws(SchemaError) -> Base {
    let parts = try object(
      allowing: ["version", "types", "fingerprint", "formerFingerprints", "removedTypes"])
    var types: [Type] = []
    for place in try required("types", in: parts).array() { types.append(try place.type()) }
    var fingerprint: ShapeFingerprint?
    if let place = parts["fingerprint"] { fingerprint = try place.fingerprint() }
    var former: [ShapeFingerprint] = []
    for place in try parts["formerFingerprints"]?.array() ?? [] {
      former.append(try place.fingerprint())
    }
    var removed: [TypeIdentity] = []
    for place in try parts["removedTypes"]?.array() ?? [] {
      let parts = try place.object(allowing: ["introducedIn", "originalName"])
      removed.append(
        TypeIdentity(
          introducedIn: try place.required("introducedIn", in: parts).version(),
          originalName: try place.required("originalName", in: parts).text()))
    }
    return Base(
      version: try required("version", in: parts).version(), types: types,
      fingerprint: fingerprint, formerFingerprints: former, removedTypes: removed)
  }

  private func fingerprint() throws(SchemaError) -> ShapeFingerprint {
    guard let fingerprint = ShapeFingerprint(parsing: try text()) else {
      throw failure("32 hexadecimal digits are expected")
    }
    return fingerprint
  }

  private func versionChanges() throws(SchemaError) -> Version {
    let parts = try object(allowing: ["version", "changes"])
    var changes: [SchemaChange] = []
    if let place = parts["changes"] {
      for change in try place.array() { changes.append(try change.change()) }
    }
    return Version(number: try required("version", in: parts).version(), changes: changes)
  }

  private func change() throws(SchemaError) -> SchemaChange {
    let keys = try keys()
    if keys.contains("on") {
      let parts = try object(allowing: ["on", "operations"])
      var operations: [RecordOperation] = []
      for place in try required("operations", in: parts).array() {
        operations.append(try place.operation())
      }
      return .records(type: try required("on", in: parts).text(), operations: operations)
    }
    if keys.contains("renameType") {
      let parts = try object(allowing: ["renameType", "to"])
      return .renameType(
        from: try required("renameType", in: parts).text(),
        to: try required("to", in: parts).text())
    }
    if !keys.isDisjoint(with: Self.barrierKeys) { return .barrier(try barrier()) }
    let parts = try object(
      allowing: Self.barrierKeys.union(["on", "addType", "renameType", "removeType"]))
    switch (parts["addType"], parts["removeType"]) {
    case (.some(let place), nil): return .addType(try place.type())
    case (nil, .some(let place)): return .removeType(try place.text())
    default:
      throw failure(
        "a change has one of the keys on, addType, renameType, removeType, "
          + Self.barrierKeys.sorted().joined(separator: ", "))
    }
  }

  private func type() throws(SchemaError) -> Type {
    let parts = try object(
      allowing: ["name", "key", "members", "introducedIn", "originalName"])
    var fields: [Field] = []
    for place in try required("members", in: parts).array() { fields.append(try place.field()) }
    let identity = try identity(parts)
    return Type(
      name: try required("name", in: parts).text(),
      keyMember: try required("key", in: parts).text(), fields: fields,
      identity: identity.map { TypeIdentity(introducedIn: $0, originalName: $1) })
  }

  private func field() throws(SchemaError) -> Field {
    let parts = try object(
      allowing: Self.meaningKeys.union(["name", "type", "introducedIn", "originalName"]))
    let type = try required("type", in: parts).fieldType()
    let identity = try identity(parts)
    let meaning = try meaning(parts, of: type)
    return Field(
      try required("name", in: parts).text(), type, linksTo: meaning.linksTo,
      cases: meaning.cases, inside: meaning.inside,
      identity: identity.map { MemberIdentity(introducedIn: $0, originalName: $1) })
  }

  private func identity(
    _ parts: [String: DocumentPlace]
  ) throws(SchemaError) -> (SchemaVersion, String)? {
    switch (parts["introducedIn"], parts["originalName"]) {
    case (nil, nil): return nil
    case (.some(let version), .some(let name)): return (try version.version(), try name.text())
    default: throw failure("\"introducedIn\" and \"originalName\" are written together")
    }
  }
}

extension DocumentTree {
  /// The form of `history` that ``DocumentPlace/history()`` reads.
  init(_ history: SchemaHistory) {
    self = .object([
      "format": .integer(1), "base": DocumentTree(history.base),
      "versions": .array(
        history.versions.map { version in
          .object([
            "version": Self.version(version.number),
            "changes": .array(version.changes.map { DocumentTree($0) }),
          ])
        }),
    ])
  }

  private init(_ base: Base) {
    var parts: [String: DocumentTree] = [
      "version": Self.version(base.version),
      "types": .array(base.types.map { DocumentTree($0) }),
    ]
    if let fingerprint = base.fingerprint { parts["fingerprint"] = .text(fingerprint.description) }
    if !base.formerFingerprints.isEmpty {
      parts["formerFingerprints"] = .array(
        base.formerFingerprints.map { .text($0.description) })
    }
    if !base.removedTypes.isEmpty {
      parts["removedTypes"] = .array(
        base.removedTypes.map {
          .object(Self.identity($0.introducedIn, $0.originalName))
        })
    }
    self = .object(parts)
  }

  /// What a type or member is, whatever it is called.
  private static func identity(
    _ version: SchemaVersion, _ name: String
  ) -> [String: DocumentTree] {
    ["introducedIn": Self.version(version), "originalName": .text(name)]
  }

  private init(_ change: SchemaChange) {
    switch change {
    case .records(let type, let operations):
      self = .object([
        "on": .text(type), "operations": .array(operations.map { DocumentTree($0) }),
      ])
    case .addType(let type): self = .object(["addType": DocumentTree(type)])
    case .renameType(let old, let new):
      self = .object(["renameType": .text(old), "to": .text(new)])
    case .removeType(let name): self = .object(["removeType": .text(name)])
    case .barrier(let step): self = .barrier(step)
    }
  }

  private init(_ type: Type) {
    var parts: [String: DocumentTree] = [
      "name": .text(type.name), "key": .text(type.keyMember),
      "members": .array(type.fields.map { DocumentTree($0) }),
    ]
    if let identity = type.identity {
      parts.merge(Self.identity(identity.introducedIn, identity.originalName)) { old, _ in old }
    }
    self = .object(parts)
  }

  private init(_ field: Field) {
    var parts: [String: DocumentTree] = [
      "name": .text(field.name), "type": .text(field.type.description),
    ]
    parts.merge(Self.parts(field.meaning) { DocumentTree($0) }) { old, _ in old }
    if let identity = field.identity {
      parts.merge(Self.identity(identity.introducedIn, identity.originalName)) { old, _ in old }
    }
    self = .object(parts)
  }

  /// Versions above the largest signed integer cannot be written; histories never have them.
  private static func version(_ version: SchemaVersion) -> DocumentTree {
    .integer(Int64(clamping: version.rawValue))
  }
}
