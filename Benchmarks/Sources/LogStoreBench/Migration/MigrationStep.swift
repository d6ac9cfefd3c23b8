/// One change of the schema. What it is for LogStore and what it is in SQL are made apart, so that
/// nobody's first read pays for the other's.
enum MigrationStep {
  /// Replaces the two names by one, with a text between them.
  case joinNames(separator: String)
  /// Computes a member from another one, which goes.
  case compute(Computation, name: String, from: String)
  case add(String, Int)
  case rename(String, to: String)
  case remove(String)

  enum Computation {
    case copy, successor
  }

  /// A chain of 1, or of a multiple of 5 steps; each ends in the shape of ``MigratedPerson``.
  ///
  /// The first joins the two names, with `separator` between them. Of each five that follow one
  /// another one computes the name, one adds a member, one renames one, one computes a member from
  /// it, and one removes that.
  static func chain(_ count: Int, separator: String = " ") -> [MigrationStep] {
    precondition(count == 1 || count % 5 == 0, "a chain must end in the shape of the model")
    return (0..<count).map { number in
      let isFirstRound = number < 5
      switch number % 5 {
      case 0:
        return isFirstRound
          ? .joinNames(separator: separator) : .compute(.copy, name: "name", from: "fullName")
      case 1: return .add("score", 1)
      case 2:
        return isFirstRound
          ? .rename("score", to: "points") : .rename("name", to: "fullName")
      case 3:
        return .compute(.successor, name: "rank", from: isFirstRound ? "points" : "score")
      default: return .remove("rank")
      }
    }
  }
}
