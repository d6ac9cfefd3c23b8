/// The SQL table of persons on its way through a chain of steps: what its columns are, and the
/// statements that change them.
struct PersonTable {
  private var columns: [Column]

  private struct Column {
    var name: String
    let definition: String
  }

  /// The table as it is filled.
  init() {
    let texts = Person.memberNames.map { Column(name: $0, definition: "TEXT NOT NULL") }
    columns =
      [Column(name: "id", definition: "INTEGER PRIMARY KEY")] + texts
      + [Column(name: "balance", definition: "INTEGER")]
  }

  /// The statements of each step of a chain.
  static func statements(_ steps: [MigrationStep]) -> [[String]] {
    var table = PersonTable()
    return steps.map { table.carryOut($0) }
  }

  private mutating func carryOut(_ step: MigrationStep) -> [String] {
    switch step {
    case .joinNames(let separator):
      replace(
        ["firstName", "lastName"], by: "fullName", "TEXT NOT NULL",
        computedAs: "firstName || '\(separator)' || lastName")
    case .compute(.copy, let name, let source):
      replace([source], by: name, "TEXT NOT NULL", computedAs: source)
    case .compute(.successor, let name, let source):
      replace([source], by: name, "INTEGER NOT NULL", computedAs: "\(source) + 1")
    case .add(let name, let value): add(name, "INTEGER NOT NULL DEFAULT \(value)")
    case .rename(let old, let new): rename(old, to: new)
    case .remove(let name): drop(name)
    }
  }

  /// Computes a column from others, which go. SQLite's documented way with one rewriting of the
  /// table: ADD COLUMN, UPDATE and DROP COLUMN would be one for the UPDATE and one for each DROP.
  private mutating func replace(
    _ removed: [String], by name: String, _ definition: String, computedAs expression: String
  ) -> [String] {
    columns.removeAll { removed.contains($0.name) }
    let kept = columns.map(\.name)
    columns.append(Column(name: name, definition: definition))
    let definitions = columns.map { "\($0.name) \($0.definition)" }.joined(separator: ", ")
    let values = (kept + [expression]).joined(separator: ", ")
    return [
      "CREATE TABLE newPerson(\(definitions))",
      "INSERT INTO newPerson SELECT \(values) FROM person ORDER BY id",
      "DROP TABLE person",
      "ALTER TABLE newPerson RENAME TO person",
    ]
  }

  /// Rewrites nothing.
  private mutating func add(_ name: String, _ definition: String) -> [String] {
    columns.append(Column(name: name, definition: definition))
    return ["ALTER TABLE person ADD COLUMN \(name) \(definition)"]
  }

  /// Rewrites nothing.
  private mutating func rename(_ old: String, to new: String) -> [String] {
    for index in columns.indices where columns[index].name == old { columns[index].name = new }
    return ["ALTER TABLE person RENAME COLUMN \(old) TO \(new)"]
  }

  /// Rewrites the table once, in place: as fast as a new table, and smaller meanwhile.
  private mutating func drop(_ name: String) -> [String] {
    columns.removeAll { $0.name == name }
    return ["ALTER TABLE person DROP COLUMN \(name)"]
  }
}
