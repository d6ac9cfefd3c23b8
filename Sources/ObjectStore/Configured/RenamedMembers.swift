/// What the members of a stored type are called after renames.
///
/// Those of a block act one after the other, as a block has a part for each version. Some that
/// lead from stored members over one another back to the first exchange them: one after the other
/// they would do nothing.
struct RenamedMembers {
  /// The last name of each member that was renamed, by its stored one.
  private(set) var final: [String: String] = [:]
  /// The stored name behind each name that a member had in between or in the end, so that code for
  /// later versions finds the value in the old object under the name that it knows.
  private(set) var aliases: [String: String] = [:]
  /// All names that each member was given, in order, by its stored one.
  private(set) var given: [String: [String]] = [:]
  /// Renames of members that there were not.
  private(set) var unknown: [(from: String, to: String)] = []
  /// Members that would get the name of another one, which has it still and is meant to.
  private(set) var ontoOthers: [(from: String, to: String)] = []
  private let members: [String]
  private let renames: [(from: String, to: String)]
  /// Which of the renames was the last one of each member, by its stored name.
  private var last: [String: Int] = [:]

  /// `isWanted` tells the names that the members are to have in the end.
  init(
    _ members: [String], renames: [(from: String, to: String)], isWanted: (String) -> Bool
  ) {
    (self.members, self.renames) = (members, renames)
    /// Whether anybody asks for a name once the renames before `index` are done.
    func isNeeded(_ name: String, at index: Int) -> Bool {
      isWanted(name) || renames[index...].contains { $0.from == name }
    }
    var index = 0
    while index < renames.count {
      let count = exchangeCount(renames[index...])
      if let count,
        renames[index..<index + count].allSatisfy({ isNeeded($0.to, at: index + count) }
        )
      {
        let exchange = renames[index..<index + count].map { (source: source(of: $0.from), $0.to) }
        rename(atOnce: exchange)
        for case (let source?, _) in exchange { last[source] = index }
        index += count
        continue
      }
      let (from, to) = renames[index]
      index += 1
      guard let source = source(of: from) else {
        unknown.append((from, to))
        continue
      }
      // Which of two that have the name is meant, a later part of the block or this one says.
      if holders(of: from).count > 1, isNeeded(from, at: index) {
        ontoOthers.append((source, from))
      }
      rename(atOnce: [(source, to)])
      last[source] = index - 1
    }
    for source in members {
      guard let name = final[source], name != source, isWanted(name), holders(of: name).count > 1
      else { continue }
      ontoOthers.append((source, name))
    }
  }

  /// Of the last rename of a member and all behind it those of names on a way.
  func rest(of source: String, on way: [String]) -> [(from: String, to: String)] {
    Self.renames(renames[last[source, default: renames.endIndex]...], on: way)
  }

  /// Whether of the renames of names on a way these are the last.
  func ends(with rest: [(from: String, to: String)], on way: [String]) -> Bool {
    let known = Self.renames(renames[...], on: way)
    return known.count >= rest.count
      && zip(known.suffix(rest.count), rest).allSatisfy { $0 == $1 }
  }

  private static func renames(
    _ renames: ArraySlice<(from: String, to: String)>, on way: [String]
  ) -> [(from: String, to: String)] {
    renames.filter { way.contains($0.from) || way.contains($0.to) }
  }

  /// Whether a member is given a name that it had before.
  var isCircular: Bool {
    given.contains { source, names in Set([source] + names).count <= names.count }
  }

  /// Lets code find the value of a stored member under a name besides.
  mutating func read(_ name: String, from source: String) {
    if !members.contains(name), aliases[name] == nil { aliases[name] = source }
  }

  /// Follows what models and versions tell. Under a name that the block gave in between code finds
  /// what the block means.
  mutating func follow(_ renames: [(source: String?, to: String)]) {
    let known = aliases
    rename(atOnce: renames)
    aliases.merge(known) { _, known in known }
  }

  /// Gives stored members other names, all at once.
  mutating func rename(atOnce renames: [(source: String?, to: String)]) {
    for (source, name) in renames {
      guard let source else { continue }
      final[source] = name
      given[source, default: []].append(name)
      if !members.contains(name) { aliases[name] = source }
    }
  }

  /// The stored member that is called so; of two the one that was renamed to it.
  func source(of name: String) -> String? {
    let holders = holders(of: name)
    return holders.first { final[$0] != nil } ?? holders.first
  }

  /// Whether another member than the stored one of a name has it now.
  func isReplaced(_ member: String) -> Bool {
    final.contains { source, name in name == member && source != member }
  }

  private func holders(of name: String) -> [String] {
    members.filter { (final[$0] ?? $0) == name }
  }

  /// How many of the first renames exchange members that there are; nothing when they do not.
  private func exchangeCount(_ renames: ArraySlice<(from: String, to: String)>) -> Int? {
    guard let first = renames.first else { return nil }
    var name = first.from
    for (count, rename) in renames.enumerated() {
      guard rename.from == name, holders(of: name).count == 1 else { return nil }
      name = rename.to
      if name == first.from { return count > 0 ? count + 1 : nil }
    }
    return nil
  }
}
