/// A key on the command line that looks like an option, as `-5` does.
enum DashedKey {
  /// Options of `get` begin with two dashes, but for `-h`; so what begins with one is a key, where
  /// it stands behind the store and the type.
  private static let indexMinimum = 3

  /// The arguments of `get` with the key behind `--`, where the parser takes anything for a key;
  /// nothing where none looks like an option, or more than one does. For who could not make sense
  /// of them as they are.
  static func separated(_ arguments: [String]) -> [String]? {
    guard arguments.first == "get", !arguments.contains("--") else { return nil }
    let indices = arguments.indices.filter { looksLikeOption(arguments[$0]) }
    guard indices.count == 1, let index = indices.first, index >= indexMinimum else { return nil }
    // Behind it come options and their values only.
    let rest = arguments[(index + 1)...]
    for place in rest.indices where !rest[place].hasPrefix("--") {
      guard place > rest.startIndex, rest[place - 1].hasPrefix("--") else { return nil }
    }
    return arguments[..<index] + rest + ["--", arguments[index]]
  }

  private static func looksLikeOption(_ argument: String) -> Bool {
    argument.hasPrefix("-") && argument != "-" && !argument.hasPrefix("--")
  }
}
