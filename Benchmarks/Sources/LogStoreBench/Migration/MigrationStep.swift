import ObjectStore

/// One change of the schema, as LogStore's history and as SQL.
struct MigrationStep {
  let operations: [RecordOperation]
  let statements: [String]

  /// A chain of 1, or of a multiple of 5 steps; each ends in the shape of ``MigratedPerson``.
  ///
  /// The first joins the two names, with `separator` between them. Of each five that follow one
  /// another one computes the name, one adds a member, one renames one, one computes a member from
  /// it, and one removes that.
  static func chain(_ count: Int, separator: String = " ") -> [MigrationStep] {
    precondition(count == 1 || count % 5 == 0, "a chain must end in the shape of the model")
    var table = PersonTable()
    return (0..<count).map { number in
      let isFirstRound = number < 5
      switch number % 5 {
      case 0: return isFirstRound ? joinNames(separator, &table) : copyName(&table)
      case 1: return addScore(&table)
      case 2:
        return isFirstRound
          ? rename("score", to: "points", &table) : rename("name", to: "fullName", &table)
      case 3: return computeRank(from: isFirstRound ? "points" : "score", &table)
      default:
        return MigrationStep(
          operations: [Remove("rank").operation], statements: table.drop("rank"))
      }
    }
  }

  /// The chain as a history of the store.
  static func history(_ count: Int, separator: String = " ") -> SchemaHistory {
    let steps = chain(count, separator: separator)
    return SchemaHistory {
      Base(0) { Person.type }
      for (index, step) in steps.enumerated() {
        Version(SchemaVersion(UInt64(index + 1))) {
          On("Person") { for operation in step.operations { operation } }
        }
      }
    }
  }

  private static func joinNames(_ separator: String, _ table: inout PersonTable) -> MigrationStep {
    MigrationStep(
      operations: [
        Derive("fullName", from: "firstName", "lastName") {
          (first: String, last: String) -> String in "\(first)\(separator)\(last)"
        }.operation,
        Remove("firstName").operation, Remove("lastName").operation,
      ],
      statements: table.replace(
        ["firstName", "lastName"], by: "fullName", "TEXT NOT NULL",
        computedAs: "firstName || '\(separator)' || lastName"))
  }

  private static func copyName(_ table: inout PersonTable) -> MigrationStep {
    MigrationStep(
      operations: [
        Derive("name", from: "fullName") { (name: String) -> String in name }.operation,
        Remove("fullName").operation,
      ],
      statements: table.replace(
        ["fullName"], by: "name", "TEXT NOT NULL", computedAs: "fullName"))
  }

  private static func addScore(_ table: inout PersonTable) -> MigrationStep {
    MigrationStep(
      operations: [Add("score", .int64, default: 1).operation],
      statements: table.add("score", "INTEGER NOT NULL DEFAULT 1"))
  }

  private static func rename(
    _ old: String, to new: String, _ table: inout PersonTable
  ) -> MigrationStep {
    MigrationStep(
      operations: [Rename(old, to: new).operation], statements: table.rename(old, to: new))
  }

  private static func computeRank(
    from member: String, _ table: inout PersonTable
  ) -> MigrationStep {
    MigrationStep(
      operations: [
        Derive("rank", from: member) { (score: Int) -> Int in score + 1 }.operation,
        Remove(member).operation,
      ],
      statements: table.replace(
        [member], by: "rank", "INTEGER NOT NULL", computedAs: "\(member) + 1"))
  }
}
