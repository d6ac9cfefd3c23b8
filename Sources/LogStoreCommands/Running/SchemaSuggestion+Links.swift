internal import SchemaRegistry

/// What members link to now: never beyond doubt, as no schema says which objects they mean.
extension SchemaSuggestion {
  /// The ways to another link, with an ellipsis for what the author must write.
  static func text(
    _ link: LinkDifference, _ old: SchemaShape, _ new: SchemaShape
  ) -> String {
    let ways: [String]
    if link.isDeclarationOnly, let target = link.to {
      ways = [
        "linksTo: \"\(target)\" where \(link.type).\(link.member) was declared, "
          + "which is no edit of that version"
      ]
    } else if let target = link.to, link.from != nil, link.enclosing.isEmpty {
      ways =
        renamings(link, old, new) + [retargetings(link, to: target).joined(separator: " or ")]
    } else {
      ways = [conversion(link)]
    }
    return ways.joined(separator: " or ") + " (\(link))"
  }

  /// The target may be the same type under another name.
  private static func renamings(
    _ link: LinkDifference, _ old: SchemaShape, _ new: SchemaShape
  ) -> [String] {
    guard let from = link.from, let to = link.to, new.type(named: from) == nil,
      old.type(named: to) == nil, let before = old.type(named: from),
      let after = new.type(named: to), mayBeRenamed(before, to: after)
    else { return [] }
    return ["RenameType(\"\(from)\", to: \"\(to)\")"]
  }

  private static func retargetings(_ link: LinkDifference, to target: String) -> [String] {
    let barrier = "Retarget(\"\(link.type)\", \"\(link.member)\", to: \"\(target)\")"
    let alone = "\(barrier) { key in … }, alone for \(link.type) in its version"
    switch link.holds {
    case .optional, .list, .dictionary: return ["\(barrier), which leaves no link,", alone]
    default: return [alone]
    }
  }

  private static func conversion(_ link: LinkDifference) -> String {
    let name = link.enclosing.name(of: link.member)
    let start = "Convert(\"\(name)\", to: \(text(link.holds))"
    let operation =
      if let target = link.to {
        start + ", linksTo: \"\(target)\") { … }"
      } else if link.held == link.holds {
        start + ", .member(\"\(name)\"), inverse: .member(\"\(name)\"))"
      } else {
        start + ") { … }"
      }
    return "On(\"\(link.type)\") { \(link.enclosing.leading(to: operation)) }"
  }
}

extension LinkDifference {
  /// Whether nothing but the declaration differs, which may come late.
  fileprivate var isDeclarationOnly: Bool { from == nil && held.unwrapped == holds.unwrapped }

  /// Whether what changes the link gives the member of the type another type, too.
  var changesType: Bool {
    guard enclosing.isEmpty, !isDeclarationOnly else { return false }
    return held != holds || from != nil && to != nil
  }
}
