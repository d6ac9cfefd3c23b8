import ObjectStore

/// One change of the schema, as LogStore's history and as SQL.
struct MigrationStep {
  let operations: [RecordOperation]
  let statements: [String]

  /// A chain of 1, or of a multiple of 5 steps; each ends in the shape of ``MigratedPerson``.
  ///
  /// The first joins the two names. Of each five that follow one another one computes the name,
  /// one adds a member, one renames one, one computes a member from it, and one removes that.
  static func chain(_ count: Int) -> [MigrationStep] {
    precondition(count == 1 || count % 5 == 0, "a chain must end in the shape of the model")
    return (0..<count).map { number in
      let isFirstRound = number < 5
      switch number % 5 {
      case 0: return isFirstRound ? joinNames : copyName
      case 1: return addScore
      case 2:
        return isFirstRound
          ? rename("score", to: "points") : rename("name", to: "fullName")
      case 3: return computeRank(from: isFirstRound ? "points" : "score")
      default:
        return MigrationStep(
          operations: [Remove("rank").operation], statements: [drop("rank")])
      }
    }
  }

  /// The chain as a history of the store.
  static func history(_ count: Int) -> SchemaHistory {
    let steps = chain(count)
    return SchemaHistory {
      Base(0) { Person.type }
      for (index, step) in steps.enumerated() {
        Version(SchemaVersion(UInt64(index + 1))) {
          On("Person") { for operation in step.operations { operation } }
        }
      }
    }
  }

  private static let joinNames = MigrationStep(
    operations: [
      Derive("fullName", from: "firstName", "lastName") {
        (first: String, last: String) -> String in "\(first) \(last)"
      }.operation,
      Remove("firstName").operation, Remove("lastName").operation,
    ],
    statements: [
      "ALTER TABLE person ADD COLUMN fullName TEXT NOT NULL DEFAULT ''",
      "UPDATE person SET fullName = firstName || ' ' || lastName",
      drop("firstName"), drop("lastName"),
    ])

  private static let copyName = MigrationStep(
    operations: [
      Derive("name", from: "fullName") { (name: String) -> String in name }.operation,
      Remove("fullName").operation,
    ],
    statements: [
      "ALTER TABLE person ADD COLUMN name TEXT NOT NULL DEFAULT ''",
      "UPDATE person SET name = fullName", drop("fullName"),
    ])

  private static let addScore = MigrationStep(
    operations: [Add("score", .int64, default: 1).operation],
    statements: ["ALTER TABLE person ADD COLUMN score INTEGER NOT NULL DEFAULT 1"])

  private static func rename(_ old: String, to new: String) -> MigrationStep {
    MigrationStep(
      operations: [Rename(old, to: new).operation],
      statements: ["ALTER TABLE person RENAME COLUMN \(old) TO \(new)"])
  }

  private static func computeRank(from member: String) -> MigrationStep {
    MigrationStep(
      operations: [
        Derive("rank", from: member) { (score: Int) -> Int in score + 1 }.operation,
        Remove(member).operation,
      ],
      statements: [
        "ALTER TABLE person ADD COLUMN rank INTEGER NOT NULL DEFAULT 0",
        "UPDATE person SET rank = \(member) + 1", drop(member),
      ])
  }

  private static func drop(_ column: String) -> String {
    "ALTER TABLE person DROP COLUMN \(column)"
  }
}
