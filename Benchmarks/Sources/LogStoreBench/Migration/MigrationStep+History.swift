import ObjectStore

extension MigrationStep {
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

  private var operations: [RecordOperation] {
    switch self {
    case .joinNames(let separator):
      [
        Derive("fullName", from: "firstName", "lastName") {
          (first: String, last: String) -> String in "\(first)\(separator)\(last)"
        }.operation,
        Remove("firstName").operation, Remove("lastName").operation,
      ]
    case .compute(.copy, let name, let source):
      [
        Derive(name, from: source) { (value: String) -> String in value }.operation,
        Remove(source).operation,
      ]
    case .compute(.successor, let name, let source):
      [
        Derive(name, from: source) { (value: Int) -> Int in value + 1 }.operation,
        Remove(source).operation,
      ]
    case .add(let name, let value): [Add(name, .int64, default: .int(Int64(value))).operation]
    case .rename(let old, let new): [Rename(old, to: new).operation]
    case .remove(let name): [Remove(name).operation]
    }
  }
}
