/// What the members of a stored type are called after the renames of a migration block.
struct RenamedMembers {
  /// The last name of each member that was renamed, by its stored one.
  private(set) var final: [String: String] = [:]
  /// The stored name behind each name that a member had in between or in the end, so that code for
  /// later versions finds the value in the old object under the name that it knows.
  private(set) var aliases: [String: String] = [:]
  /// Renames of members that there were not.
  private(set) var unknown: [(from: String, to: String)] = []

  init(_ members: [String], renames: [(from: String, to: String)]) {
    for (from, to) in renames {
      guard let source = members.first(where: { (final[$0] ?? $0) == from }) else {
        unknown.append((from, to))
        continue
      }
      final[source] = to
      if !members.contains(to) { aliases[to] = source }
    }
  }
}
